import type { AccountAttributes } from "./context.ts";
import type { PostType } from "./names.ts";

/** What a post says about itself to its platform. A declaration is true, false, or absent: nothing is sent. */
export const DECLARATIONS = ["made_with_ai", "paid_partnership", "own_brand", "made_for_kids"] as const;
export type Declaration = (typeof DECLARATIONS)[number];
export type Declared = Readonly<Partial<Record<Declaration, boolean | undefined>>>;

/** The posts for which a platform has a field for the declaration. */
export interface DeclarationField {
  readonly types: readonly PostType[];
  /** The only kind of file with the field; absent if it does not depend on the files. */
  readonly onlyWith?: "image" | "gif" | "video";
  /** Accounts with one of these attributes do not have the field. */
  readonly except?: AccountAttributes;
}

/** A declaration that is absent has no field on the platform. */
export type DeclarationFields = Readonly<Partial<Record<Declaration, DeclarationField>>>;

/** The field for such a post of such an account; null if the platform has none. */
export function declarationField(
  fields: DeclarationFields,
  name: Declaration,
  type: PostType,
  attributes: AccountAttributes,
): DeclarationField | null {
  const field = fields[name];
  if (!field?.types.includes(type)) return null;
  const isExcepted = Object.entries(field.except ?? {}).some(([key, value]) => attributes[key] === value);
  return isExcepted ? null : field;
}
