import { z } from "@hono/zod-openapi";
import { said, type Warning } from "../../core/checks.ts";
import type { FieldProblem } from "../../core/errors.ts";
import { DECLARATIONS, type Declaration, type Declared } from "../../platforms/declarations.ts";
import { factsOf } from "../../platforms/facts.ts";
import type { PostType } from "../../platforms/names.ts";
import { carried, notCarried, type OfAccount } from "./carried-fields.ts";
import { type FileKind, isGenerated, type OwnFiles } from "./file-kinds.ts";

/**
 * What a post says about itself: the caller's declarations, and `made_with_ai` for files that this service
 * generated. A declaration without a field on the platform is left out, and reported if it is true.
 */
const declarations = {
  made_with_ai: z.boolean().optional().openapi({
    description: "A model made the media, or a part. True by itself if this service generated one of the files.",
  }),
  paid_partnership: z.boolean().optional().openapi({ description: "Someone else pays for the post." }),
  own_brand: z.boolean().optional().openapi({ description: "It promotes the account owner's own business." }),
  made_for_kids: z.boolean().optional().openapi({ description: "Its audience is children." }),
} as const satisfies Record<Declaration, z.ZodType>;

const DESCRIPTION =
  "What the platform shows or must know about the post. `/social/get-platforms` lists the declarations of each kind of post; others are left out with a warning.";
const EXAMPLE = { made_with_ai: true };

export const DeclaredBody = z
  .object(declarations)
  .openapi("PostDeclarations", { description: DESCRIPTION, example: EXAMPLE });
/** Of update-post: names that do not exist are refused. */
export const NewDeclared = z
  .strictObject(declarations)
  .nullable()
  .openapi({ description: `${DESCRIPTION} Replaces all earlier ones; null withdraws them.`, example: EXAMPLE });

export const DeclaredView = z.object(declarations).nullable().openapi({
  description: "The declarations of the post, with `made_with_ai` of generated files; null for none.",
});

interface Declaring {
  /** The caller's. */
  readonly declared: Declared;
  readonly hasGeneratedMedia: boolean;
}

/** All declarations of a post, in the order of their names. */
function declaredOf({ declared, hasGeneratedMedia }: Declaring): Declared {
  const all = hasGeneratedMedia ? { ...declared, made_with_ai: true } : declared;
  return Object.fromEntries(
    DECLARATIONS.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const])),
  );
}

export function toDeclaredView(post: Declaring): z.output<typeof DeclaredView> {
  const declared = declaredOf(post);
  return Object.keys(declared).length === 0 ? null : { ...declared };
}

/** The problem of denying what the files show; empty if valid. */
export function denialProblems(urls: readonly string[], declared: Declared, files: OwnFiles) {
  const url = urls.find((one) => isGenerated(files, one));
  if (url === undefined || declared.made_with_ai !== false) return [];
  const message = `declared.made_with_ai must not be false: this service generated ${url}. Leave it out, or use other files.`;
  const field = "declared.made_with_ai";
  return [{ field, code: "content_invalid", ...said(message, "made_with_ai", url) }] satisfies FieldProblem[];
}

const fieldsOf = ({ platform }: OfAccount) => factsOf(platform).declarations;

/** The declarations that the platform has a field for in such a post: those that are sent. */
export function sentDeclarations(post: Declaring, channel: OfAccount, type: PostType): Declared {
  return carried(declaredOf(post), DECLARATIONS, { fields: fieldsOf(channel), channel, type });
}

/**
 * The true declarations that such a post cannot carry.
 */
export function declarationsLeftOut(
  post: Declaring,
  channel: OfAccount,
  type: PostType,
  kinds: readonly FileKind[],
): readonly Warning[] {
  const declared = declaredOf(post);
  const insteadOf = () => ({ use: "text", sentence: "State it in the text if it must be shown." });
  const asked = { fields: fieldsOf(channel), channel, type, under: "declared", insteadOf } as const;
  return notCarried(
    DECLARATIONS.filter((name) => declared[name]),
    asked,
    kinds,
  );
}
