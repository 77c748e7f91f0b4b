import { fitted } from "../models/text.ts";
import type { PlatformName, PostType } from "../platforms/names.ts";
import { platforms } from "../platforms/registry.ts";
import type { TextRules } from "../platforms/rules.ts";
import type { GenerationType } from "./table.ts";

/** The caption of a generated post: every platform that it is meant for accepts it. Pure. */
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

export type Platforms = readonly PlatformName[] | null;

/** The rules of the texts, for an account without known attributes. */
function textRules(type: GenerationType, meant: Platforms): readonly TextRules[] {
  const chosen = Object.values(platforms).filter(({ name }) => meant === null || meant.includes(name));
  return chosen.flatMap((platform) => POST_TYPES[type].flatMap((post) => platform.rules({})[post]?.text ?? []));
}

/** Whether all platforms, or those that the post is meant for, accept the text with such a post. */
export const fitsPlatforms = (type: GenerationType, text: string, meant: Platforms): boolean =>
  textRules(type, meant).every(
    ({ measure, max, problems }) => measure(text) <= max && (problems?.(text) ?? []).length === 0,
  );

/** Longer captions are not read, whatever a platform accepts. */
const MAX_CAPTION = 1_000;
/** Kept free for letters that count twice. */
const SHARE = 0.86;

/** The number of characters to write: short of the limit, so little must be cut. */
export function captionLength(type: GenerationType, meant: Platforms): number {
  const max = Math.min(MAX_CAPTION, ...textRules(type, meant).map((rules) => rules.max));
  return Math.floor((max * SHARE) / 10) * 10;
}

const FEWEST_TAGS = 2;

/**
 * Joins the parts to one text that fits: hashtags are dropped first, then the end of the body. Empty if
 * nothing fits.
 */
export function composeCaption(type: GenerationType, parts: CaptionParts, meant: Platforms): string {
  const { hook, body, callToAction, hashtags } = parts;
  const fits = (text: string) => fitsPlatforms(type, text, meant);
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
