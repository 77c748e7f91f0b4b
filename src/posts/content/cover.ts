import type { PostOptions } from "../../platforms/options.ts";
import type { TypeRules } from "../../platforms/rules.ts";

interface PlannedItem {
  readonly text: string;
  readonly mediaUrls: readonly string[];
  readonly altTexts: readonly (string | null)[];
}

/** The picture of `options.cover_url` is probed like the files of an item, by rules of its own. */
export function plannedCover(options: PostOptions): readonly PlannedItem[] {
  return coverUrls(options).map((url) => ({ text: "", mediaUrls: [url], altTexts: [] }));
}

/** Its address; empty for none. */
export function coverUrls({ cover_url: url }: PostOptions): readonly string[] {
  return url === undefined ? [] : [url];
}

const NO_TEXT: TypeRules["text"] = { max: 0, measure: () => 0, unit: "characters" };

export function coverRules({ cover }: TypeRules): TypeRules {
  return {
    text: NO_TEXT,
    media: { min: 1, max: 1, of: { image: 1 }, alone: [] },
    files: cover ? { image: cover } : {},
    items: { min: 0, max: 1 },
  };
}
