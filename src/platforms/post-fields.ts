import type { PostType } from "./names.ts";

/** Attributes of an account (context.ts). */
type Attributes = Readonly<Record<string, unknown>>;

/** The posts for which a platform takes a field of the request. */
export interface PostField {
  readonly types: readonly PostType[];
  /** The only kind of file with the field; absent if it does not depend on the files. */
  readonly onlyWith?: "image" | "gif" | "video";
  /** Accounts with one of these attributes do not have the field. */
  readonly except?: Attributes;
}

/** By name; a field that is absent does not exist on the platform. */
export type PostFields<Name extends string> = Readonly<Partial<Record<Name, PostField>>>;

/** The field for such a post of such an account; null if the platform has none. */
export function postField<Name extends string>(
  fields: PostFields<Name>,
  name: Name,
  type: PostType,
  attributes: Attributes,
): PostField | null {
  const field = fields[name];
  if (!field?.types.includes(type)) return null;
  const isExcepted = Object.entries(field.except ?? {}).some(([key, value]) => attributes[key] === value);
  return isExcepted ? null : field;
}
