import type { MediaKind } from "./media-kinds.ts";
import type { PostType } from "./names.ts";

/** Attributes of an account (context.ts). */
type Attributes = Readonly<Record<string, unknown>>;

/** The posts for which a platform takes a field of the request. */
export interface PostField {
  readonly types: readonly PostType[];
  /** The only kind of file with the field; absent if it does not depend on the files. */
  readonly onlyWith?: MediaKind;
  /** A second kind of file with the field. */
  readonly orWith?: MediaKind;
  /** Posts with such a file do not have the field; absent if it does not depend on the files. */
  readonly notWith?: "video";
  /** The only accounts with the field: those with these attributes. */
  readonly only?: Attributes;
  /** Accounts with one of these attributes do not have the field. */
  readonly except?: Attributes;
}

/** By name, in a list if types differ; a field that is absent does not exist on the platform. */
export type PostFields<Name extends string> = Readonly<Partial<Record<Name, PostField | readonly PostField[]>>>;

/** The field for such a post of such an account; null if the platform has none. */
export function postField<Name extends string>(
  fields: PostFields<Name>,
  name: Name,
  type: PostType,
  attributes: Attributes,
): PostField | null {
  const all: readonly PostField[] = [fields[name] ?? []].flat();
  const field = all.find(({ types }) => types.includes(type));
  if (!field) return null;
  const isOnlyFor = Object.entries(field.only ?? {}).every(([key, value]) => attributes[key] === value);
  const isExcepted = Object.entries(field.except ?? {}).some(([key, value]) => attributes[key] === value);
  return isExcepted || !isOnlyFor ? null : field;
}
