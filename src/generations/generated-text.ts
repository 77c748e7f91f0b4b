import { z } from "zod";
import { BannerCopy } from "../banners/copy.ts";
import { cleaned, fitted } from "../models/text.ts";
import { composeCaption, type Platforms } from "./caption.ts";
import type { ModelResponse } from "./response-schemas.ts";

/** The texts of a generation, and the prompts for the other models, within their limits. */
export const GeneratedText = z.object({
  caption: z.string(),
  /** What an image or a video shows; null if there is none. */
  picture: z.string().nullable(),
  /** What is spoken; null if nothing is. */
  script: z.string().nullable(),
  /** The texts of a banner; null if there is none. */
  banner: BannerCopy.nullable(),
});
export type GeneratedText = z.output<typeof GeneratedText>;

/**
 * Characters. A text that is slightly longer is cut to whole sentences; a missing one is requested once more.
 */
export const LIMITS = {
  hook: 90,
  body: 900,
  callToAction: 90,
  hashtag: 40,
  hashtags: 5,
  picture: 1_200,
  altText: 400,
  scenes: 4,
  /** What a person says in twelve seconds; a voice-over may be longer, because the video repeats. */
  script: { talking_reel: 170, faceless_reel: 380 },
  banner: { short: 28, headline: 90, text: 160 },
} as const;

const EMOJI = 6;

export const CheckedText = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("usable"), words: GeneratedText }),
  /** Sentences for the model. */
  z.object({ kind: z.literal("unusable"), problems: z.array(z.string()) }),
]);
export type CheckedText = z.output<typeof CheckedText>;

/** Checks what a model returned against the limits. Pure. */
export function checkWords(filled: ModelResponse, meant: Platforms): CheckedText {
  const { type, form } = filled;
  const problems: string[] = [];
  const text = (name: string, value: string, max: number): string => {
    const plain = fitted(cleaned(value, EMOJI, null), (part) => [...part].length <= max);
    if (plain === "") problems.push(`"${name}" must not be empty.`);
    return plain;
  };
  const hashtags = hashtagsOf(form.hashtags);
  if (hashtags.length === 0) problems.push('"hashtags" must hold at least one word.');
  const parts = {
    hook: text("hook", form.hook, LIMITS.hook),
    body: text("body", form.body, LIMITS.body),
    callToAction: text("call_to_action", form.call_to_action, LIMITS.callToAction),
    hashtags,
  };
  const media = pictureAndScript(filled, text);
  const banner = bannerOf(filled, problems);
  if (problems.length > 0) return { kind: "unusable", problems };
  const caption = composeCaption(type, parts, meant);
  if (caption === "") return { kind: "unusable", problems: ['"hook" must be shorter.'] };
  return { kind: "usable", words: { caption, ...media, banner } };
}

/** Cuts or drops texts that are slightly too long, and reports the rest as problems. */
function bannerOf(filled: ModelResponse, problems: string[]): BannerCopy | null {
  if (filled.type !== "ai_banner_post") return null;
  const { label, headline, text, call_to_action: action, template, palette } = filled.form.banner;
  const cut = (words: string, max: number) => fitted(cleaned(words, EMOJI, null), (part) => part.length <= max);
  const short = (words: string | null) => (words !== null && words.length <= LIMITS.banner.short ? words : null);
  const copy = {
    label: short(label),
    headline: cut(headline, LIMITS.banner.headline),
    text: text === null ? null : cut(text, LIMITS.banner.text) || null,
    call_to_action: short(action),
    template,
    palette,
  };
  const parsed = BannerCopy.safeParse(copy);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) problems.push(`"${["banner", ...path].join(".")}": ${message}.`);
  return null;
}

type Text = (name: string, value: string, max: number) => string;

function pictureAndScript(filled: ModelResponse, text: Text): Pick<GeneratedText, "picture" | "script"> {
  switch (filled.type) {
    case "text_only":
    case "ai_banner_post":
      return { picture: null, script: null };
    case "ai_image_post":
      return { picture: text("image", filled.form.image, LIMITS.picture), script: null };
    case "breel":
      return { picture: text("film", filled.form.film, LIMITS.picture), script: null };
    case "talking_reel": {
      const speaker = text("speaker", filled.form.speaker, LIMITS.picture);
      const script = text("script", filled.form.script, LIMITS.script.talking_reel);
      return { picture: `${speaker}\n\nLooking into the camera, this person says: “${script}”`, script };
    }
    case "faceless_reel": {
      const scenes = filled.form.scenes.slice(0, LIMITS.scenes);
      const parts = scenes.map((scene, index) => text(`scenes.${index}`, scene, LIMITS.picture / LIMITS.scenes));
      const picture = parts.map((scene, index) => `Scene ${index + 1}: ${scene}`).join("\n");
      const script = text("script", filled.form.script, LIMITS.script.faceless_reel);
      return { picture: parts.length === 0 ? text("scenes", "", 0) : picture, script };
    }
  }
}

/** What the pictures show, for people who cannot see them; null if there are none. */
export function altTextOf({ picture, script, banner }: GeneratedText, type: ModelResponse["type"]): string | null {
  if (banner) {
    const parts = [banner.label, banner.headline, banner.text, banner.call_to_action];
    return parts.filter((part) => part !== null).join(" · ");
  }
  if (type !== "ai_image_post" || picture === null || script !== null) return null;
  return fitted(picture, (part) => [...part].length <= LIMITS.altText);
}

/** Letters and digits of any script, each tag once, with its `#`. */
function hashtagsOf(words: readonly string[]): readonly string[] {
  const bare = words.slice(0, 30).map((word) => word.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_]/gu, ""));
  const usable = bare.filter((word) => /\p{L}/u.test(word) && word.length <= LIMITS.hashtag);
  // Keeps the first spelling of each tag, because a map keeps the last.
  const distinct = new Map(usable.toReversed().map((word) => [word.toLowerCase(), word]));
  const kept = new Set(distinct.values());
  return usable
    .filter((word, at) => kept.has(word) && usable.indexOf(word) === at)
    .slice(0, LIMITS.hashtags)
    .map((word) => `#${word}`);
}
