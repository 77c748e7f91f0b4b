import { said, type Warning } from "../../core/checks.ts";
import { PRIVACY_LEVELS, type PrivacyLevel } from "../options.ts";
import type { SettingProblem, WantedSettings } from "../rules.ts";

/**
 * The settings of a post that need only the request: who may see it, and what TikTok refuses together. What
 * the account allows: creator.ts.
 */

/** The most public level that the request allows; null if it leaves that to the account. */
export function requestedLevel({
  privacyStatus,
  options,
}: Pick<WantedSettings, "privacyStatus" | "options">): PrivacyLevel | null {
  return options.privacy_level ?? (privacyStatus === "private" ? "SELF_ONLY" : null);
}

/** Whether TikTok shows a post of level `one` to no more people than `other`. */
export function isWithin(one: PrivacyLevel, other: PrivacyLevel): boolean {
  return PRIVACY_LEVELS.indexOf(one) >= PRIVACY_LEVELS.indexOf(other);
}

const BRANDED =
  "declared.paid_partnership must not be true for a post that only the account owner can see: TikTok refuses that. Choose another privacy level.";

const NOT_AGREED =
  "options.consent_given must not be false: TikTok requires that the person agrees to the sentence of posting-options before each post.";
/** UTF-16 units. */
const MAX_TITLE = 90;

export function conflicts({ privacyStatus, declared, options, files }: WantedSettings): readonly SettingProblem[] {
  const level = options.privacy_level;
  const isContrary = level !== undefined && level !== "SELF_ONLY" && privacyStatus === "private";
  const { cover_index = 0, title = "", consent_given: isAgreed } = options;
  return [
    ...(isAgreed === false ? [{ field: "options.consent_given", ...said(NOT_AGREED, "consent") }] : []),
    ...(title.length > MAX_TITLE
      ? [
          {
            field: "options.title",
            message: `options.title must have at most ${MAX_TITLE} characters on TikTok, not ${title.length}.`,
            check: { kind: "max_length", limit: MAX_TITLE } as const,
          },
        ]
      : []),
    ...(cover_index > 0 && cover_index >= files
      ? [
          {
            field: "options.cover_index",
            message: `options.cover_index must be less than ${files}, the number of files.`,
            check: { kind: "less_than", limit: files } as const,
          },
        ]
      : []),
    ...(requestedLevel({ privacyStatus, options }) === "SELF_ONLY" && declared.paid_partnership
      ? [{ field: "declared.paid_partnership", ...said(BRANDED, "private_partnership") }]
      : []),
    ...(isContrary ? [{ field: "options.privacy_level", ...said(contrary(level), "contrary_privacy") }] : []),
  ];
}

const contrary = (level: PrivacyLevel | undefined): string =>
  `options.privacy_level must be SELF_ONLY when post_extra.privacyStatus is private, not "${level}".`;

const UNCHOSEN =
  "`options.privacy_level` is missing: TikTok requires that a person chooses who may see a post. Without it the post is as public as the account allows, with comments, duets and stitches on. posting-options returns the levels of the account.";

const UNAGREED =
  "`options.consent_given` is missing: TikTok requires that the person agrees to its music confirmation before each post. posting-options returns the sentence to show.";

export function advice(wanted: WantedSettings): readonly Warning[] {
  const { consent_given } = wanted.options;
  return [
    ...(requestedLevel(wanted) === null ? [{ field: "options.privacy_level", ...said(UNCHOSEN, "choose_level") }] : []),
    ...(consent_given === undefined ? [{ field: "options.consent_given", ...said(UNAGREED, "agree") }] : []),
  ];
}
