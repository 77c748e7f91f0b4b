import type { PostFields } from "./post-fields.ts";

/**
 * What a post says about itself to its platform. A declaration is true, false, or absent: nothing is sent.
 */
export const DECLARATIONS = ["made_with_ai", "paid_partnership", "own_brand", "made_for_kids"] as const;
export type Declaration = (typeof DECLARATIONS)[number];
export type Declared = Readonly<Partial<Record<Declaration, boolean | undefined>>>;

export type DeclarationFields = PostFields<Declaration>;
