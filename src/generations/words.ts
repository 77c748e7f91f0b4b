import { z } from "zod";
import { cleaned, fitted } from "../models/text.ts";
import { composeCaption } from "./caption.ts";
import type { Filled } from "./forms.ts";

/** What a generation says, and what the other models are told: checked, and of lengths that fit. */
export const Words = z.object({
  caption: z.string(),
  /** What an image or a film is to show; null where there is none. */
  picture: z.string().nullable(),
  /** What is spoken; null where nothing is. */
  script: z.string().nullable(),
});
export type Words = z.output<typeof Words>;

/** In characters. What is a little longer is cut to whole sentences; what lacks is asked for once more. */
export const LIMITS = {
  hook: 90,
  body: 400,
  callToAction: 90,
  hashtag: 40,
  hashtags: 5,
  picture: 1_200,
  scenes: 4,
  /** What somebody says in twelve seconds; a voice-over may go on while the film begins anew. */
  script: { talking_reel: 170, faceless_reel: 380 },
} as const;

const EMOJI = 6;

export const Checked = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("usable"), words: Words }),
  /** In words for the model. */
  z.object({ kind: z.literal("unusable"), problems: z.array(z.string()) }),
]);
export type Checked = z.output<typeof Checked>;

/** Holds what a model has filled in against the limits. Pure. */
export function checkWords(filled: Filled): Checked {
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
  const { picture, script } = toldOf(filled, text);
  if (problems.length > 0) return { kind: "unusable", problems };
  const caption = composeCaption(type, parts);
  if (caption === "") return { kind: "unusable", problems: ['"hook" must be shorter.'] };
  return { kind: "usable", words: { caption, picture, script } };
}

type Text = (name: string, value: string, max: number) => string;

function toldOf(filled: Filled, text: Text): Pick<Words, "picture" | "script"> {
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
      const told = scenes.map((scene, index) => text(`scenes.${index}`, scene, LIMITS.picture / LIMITS.scenes));
      const picture = told.map((scene, index) => `Scene ${index + 1}: ${scene}`).join("\n");
      const script = text("script", filled.form.script, LIMITS.script.faceless_reel);
      return { picture: told.length === 0 ? text("scenes", "", 0) : picture, script };
    }
  }
}

/** Letters and digits of any script, each once, with their `#`. */
function hashtagsOf(words: readonly string[]): readonly string[] {
  const bare = words.slice(0, 30).map((word) => word.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_]/gu, ""));
  const usable = bare.filter((word) => /\p{L}/u.test(word) && word.length <= LIMITS.hashtag);
  const distinct = new Map(usable.map((word) => [word.toLowerCase(), `#${word}`]));
  return [...distinct.values()].slice(0, LIMITS.hashtags);
}
