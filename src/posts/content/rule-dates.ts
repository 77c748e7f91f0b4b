import { z } from "@hono/zod-openapi";
import type { MediaKind } from "../../platforms/media-kinds.ts";
import { CAPABILITIES } from "../../platforms/names.ts";
import type { Platform } from "../../platforms/platform.ts";
import { type RuleSource, type RuleSources, type RuleSubject, sourceOfFile } from "../../platforms/rule-sources.ts";

/** When and where each rule of `/social/get-platforms` was read. */

/** Fields of every rule that the list shows. */
export const DATED = {
  as_of: z.iso.date().openapi({
    description: "The day on which the rule was last compared with the platform's pages.",
    example: "2026-11-22",
  }),
  source: z.string().openapi({ description: "Where it was read." }),
};
const Dated = z.object(DATED);
export type Dated = z.output<typeof Dated>;

export const PrivacySource = z
  .union([Dated, z.null()])
  .openapi({ description: "When and where the values of `privacy` were read. Null if it does not apply." });

export const ScopesView = z.object({
  capability: z.enum(CAPABILITIES),
  scopes: z.array(z.string()),
  ...DATED,
});

const shown = ({ asOf, source }: RuleSource): Dated => ({ as_of: asOf, source });
export const datedBy = ({ sources }: Pick<Platform, "sources">, subject: RuleSubject): Dated =>
  shown(sources.of[subject]);

/** What each capability requires of a login. */
export function toScopes({ capabilities, sources }: Platform): z.output<typeof ScopesView>[] {
  return CAPABILITIES.flatMap((capability) => {
    const rules = capabilities[capability];
    return rules ? [{ capability, scopes: [...rules.scopes], ...shown(sources.of.scopes) }] : [];
  });
}

interface Rules<Text, Count, File, Declaration, Option> {
  readonly text: Text;
  readonly title: Text | null;
  readonly privacy: readonly string[] | null;
  readonly items: Count;
  readonly media: Count;
  readonly files: readonly File[];
  readonly first_comment: Text | null;
  readonly declarations: readonly Declaration[];
  readonly options: readonly Option[];
}

/** The rules of a post type, each with its date and source. */
export function withDates<
  Text extends object,
  Count extends object,
  File extends { readonly kind: MediaKind; readonly encoding: object | null },
  Declaration extends object,
  Option extends object,
  Own extends Rules<Text, Count, File, Declaration, Option>,
>(sources: RuleSources, rules: Own & Rules<Text, Count, File, Declaration, Option>) {
  const { texts, comments, counts, settings } = sources.of;
  const dated = <Rule extends object>(rule: Rule, source: RuleSource) => ({ ...rule, ...shown(source) });
  return {
    ...rules,
    text: dated(rules.text, texts),
    title: rules.title && dated(rules.title, texts),
    privacy_source: rules.privacy && shown(settings),
    items: dated(rules.items, counts),
    media: dated(rules.media, counts),
    files: rules.files.map((file) => {
      const source = sourceOfFile(sources, file.kind);
      // The encoding of a video is a rule of its own, on the same pages of the platform.
      const encoding: (NonNullable<File["encoding"]> & Dated) | null = file.encoding && dated(file.encoding, source);
      return { ...dated(file, source), encoding };
    }),
    first_comment: rules.first_comment && dated(rules.first_comment, comments),
    declarations: rules.declarations.map((one) => dated(one, settings)),
    options: rules.options.map((one) => dated(one, settings)),
  };
}
