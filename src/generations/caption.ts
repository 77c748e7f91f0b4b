import { fitted } from "../models/text.ts";
import type { PostType } from "../platforms/names.ts";
import { platforms } from "../platforms/registry.ts";
import type { GenerationType } from "./table.ts";

/** The caption of a generated post: every platform that accepts such a post accepts it. Pure. */
export interface CaptionParts {
  readonly hook: string;
  readonly body: string;
  readonly callToAction: string;
  /** Each with its `#`. */
  readonly hashtags: readonly string[];
}

/** The post types for each kind of generation; stories show no caption. */
const POST_TYPES: Readonly<Record<GenerationType, readonly PostType[]>> = {
  text_only: ["post", "tweet"],
  ai_image_post: ["post", "tweet"],
  ai_banner_post: ["post", "tweet"],
  breel: ["post", "tweet", "reel"],
  talking_reel: ["post", "tweet", "reel"],
  faceless_reel: ["post", "tweet", "reel"],
};

/**
 * Whether every platform accepts the text with such a post, by the rules for an account without known
 * attributes.
 */
export function fitsEverywhere(type: GenerationType, text: string): boolean {
  return Object.values(platforms).every((platform) =>
    POST_TYPES[type].every((postType) => {
      const rules = platform.rules({})[postType]?.text;
      return !rules || (rules.measure(text) <= rules.max && (rules.problems?.(text) ?? []).length === 0);
    }),
  );
}

const FEWEST_TAGS = 2;

/**
 * Joins the parts to one text that fits: hashtags are dropped first, then the end of the body. Empty if
 * nothing fits.
 */
export function composeCaption(type: GenerationType, parts: CaptionParts): string {
  const { hook, body, callToAction, hashtags } = parts;
  const fits = (text: string) => fitsEverywhere(type, text);
  for (let tags = hashtags.length; tags >= Math.min(FEWEST_TAGS, hashtags.length); tags--) {
    const whole = joined([hook, body, callToAction, hashtags.slice(0, tags).join(" ")]);
    if (fits(whole)) return whole;
  }
  const few = hashtags.slice(0, FEWEST_TAGS).join(" ");
  const shorter = fitted(body, (part) => fits(joined([hook, part, callToAction, few])));
  const rest = [[hook, shorter, callToAction, few], [hook, callToAction, few], [hook, few], [hook]].map(joined);
  return rest.find((text) => fits(text)) ?? fitted(hook, fits);
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
