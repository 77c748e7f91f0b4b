import { said } from "../../core/checks.ts";
import type { TextRules } from "../rules.ts";

const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;

const tooMany = (what: "hashtags" | "mentions", most: number, found: number) =>
  said(`must have at most ${most} ${what}, not ${found}.`, what, most, found);

/** Limits of captions. */
export const caption: TextRules = {
  max: 2200,
  measure: (value) => [...value].length,
  unit: "characters",
  problems(value) {
    const hashtags = value.match(/(?<![\p{L}\p{N}_&])[#＃][\p{L}\p{N}\p{M}_]+/gu)?.length ?? 0;
    const mentions = value.match(/(?<![\p{L}\p{N}_.])@[\w.]+/gu)?.length ?? 0;
    return [
      ...(hashtags > MAX_HASHTAGS ? [tooMany("hashtags", MAX_HASHTAGS, hashtags)] : []),
      ...(mentions > MAX_MENTIONS ? [tooMany("mentions", MAX_MENTIONS, mentions)] : []),
    ];
  },
  also: [`must have at most ${MAX_HASHTAGS} hashtags`, `must have at most ${MAX_MENTIONS} mentions`],
};
