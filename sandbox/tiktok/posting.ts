// Checks before TikTok accepts a post: privacy, allowed interactions, and posts per day.

import { z } from "zod";
import type { Sandbox } from "../sandbox";
import type { Caller } from "./api";
import { ApiError, invalidParams } from "./errors";
import type { AccountRow } from "./store";

const DAY_MS = 86_400_000;
const UNAUDITED_USERS = 5;
const MOST_DRAFTS_NAME = "spam_risk_too_many_pending_share";

const flag = z.boolean().optional();
export const VideoInfo = z.strictObject({
  title: z.string().max(2200).optional(),
  privacy_level: z.string(),
  disable_comment: flag,
  disable_duet: flag,
  disable_stitch: flag,
  video_cover_timestamp_ms: z.number().int().min(0).optional(),
  brand_content_toggle: flag,
  brand_organic_toggle: flag,
  is_aigc: flag,
});
/** Video-only fields of photos are ignored, not refused. */
export const PhotoInfo = z.strictObject({
  title: z.string().max(90).optional(),
  description: z.string().max(4000).optional(),
  privacy_level: z.string().optional(),
  disable_comment: flag,
  auto_add_music: flag,
  is_aigc: flag.transform(() => undefined),
  brand_content_toggle: flag,
  brand_organic_toggle: flag,
});

export function privacyOptions({ is_private }: AccountRow): string[] {
  return [is_private ? "FOLLOWER_OF_CREATOR" : "PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];
}

/** The declarations of a direct post; `is_aigc` is ignored for photos. */
export function labelsIn(info: Info): string[] {
  const { brand_content_toggle, brand_organic_toggle } = info;
  const labels = { is_aigc: "is_aigc" in info && info.is_aigc, brand_content_toggle, brand_organic_toggle };
  return Object.entries(labels).flatMap(([name, isOn]) => (isOn ? [name] : []));
}

type Info = z.output<typeof VideoInfo> | z.output<typeof PhotoInfo>;

/** Rejects a direct post that this account or app is not allowed to make. */
export function checkPost(sandbox: Sandbox, { account }: Caller, info: Info): void {
  const { privacy_level: privacy } = info;
  if (privacy === undefined) throw invalidParams("privacy_level is required.");
  if (!sandbox.settings.all.tiktok_audited && (!account.is_private || privacy !== "SELF_ONLY")) {
    throw new ApiError(
      "unaudited_client_can_only_post_to_private_accounts",
      "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/",
    );
  }
  if (!privacyOptions(account).includes(privacy)) {
    throw new ApiError("privacy_level_option_mismatch", "The privacy level is not one of the options of the creator.");
  }
  if (info.brand_content_toggle && privacy === "SELF_ONLY") {
    throw invalidParams("Branded content visibility cannot be set to private.");
  }
  const wanted: [number, boolean | undefined][] = [
    [account.comment_disabled, info.disable_comment],
    ...("disable_duet" in info
      ? ([[account.duet_disabled, info.disable_duet]] as [number, boolean | undefined][])
      : []),
    ...("disable_stitch" in info
      ? ([[account.stitch_disabled, info.disable_stitch]] as [number, boolean | undefined][])
      : []),
  ];
  if (wanted.some(([isDisabled, isTold]) => isDisabled && !isTold)) {
    throw invalidParams("An interaction that the creator has disabled must be disabled.");
  }
}

/** Rejects any post of an account that has reached a limit. */
export function checkCaps(sandbox: Sandbox, { account, clientKey }: Caller, status?: number): void {
  const { tiktok_posts_per_day, tiktok_posting_users_per_day, tiktok_audited } = sandbox.settings.all;
  if (account.is_banned) {
    throw new ApiError("spam_risk_user_banned_from_posting", "The user is banned from making new posts.", status);
  }
  const since = sandbox.now() - DAY_MS;
  const made = sandbox.db.first<{ n: number }>(
    "SELECT count(*) AS n FROM tiktok_tasks WHERE account_id = ? AND is_draft = 0 AND begun_at > ?",
    account.id,
    since,
  );
  if ((made?.n ?? 0) >= tiktok_posts_per_day) {
    throw new ApiError(
      "spam_risk_too_many_posts",
      "The daily post cap from the API is reached for the current user.",
      status,
    );
  }
  const others = sandbox.db.first<{ n: number }>(
    `SELECT count(DISTINCT account_id) AS n FROM tiktok_tasks
     WHERE client_key = ? AND account_id <> ? AND is_draft = 0 AND begun_at > ?`,
    clientKey,
    account.id,
    since,
  );
  if ((others?.n ?? 0) >= (tiktok_audited ? tiktok_posting_users_per_day : UNAUDITED_USERS)) {
    throw new ApiError("reached_active_user_cap", "The daily quota for active publishing users is reached.", status);
  }
}

export function checkDrafts(sandbox: Sandbox, { account }: Caller): void {
  const pending = sandbox.db.first<{ n: number }>(
    "SELECT count(*) AS n FROM tiktok_tasks WHERE account_id = ? AND is_draft = 1 AND opened_at > ? AND trouble IS NULL",
    account.id,
    sandbox.now() - DAY_MS,
  );
  if ((pending?.n ?? 0) >= sandbox.settings.all.tiktok_pending_drafts_per_day) {
    throw new ApiError(MOST_DRAFTS_NAME, "There may be at most 5 pending shares within any 24-hour period.");
  }
}

/** Requires that each URL belongs to a verified domain (with its subdomains) or a verified URL prefix. */
export function checkOwnership(sandbox: Sandbox, urls: readonly string[]): void {
  const proven = sandbox.settings.all.tiktok_verified_urls.split(/\s+/).filter(Boolean);
  const isProven = (address: string): boolean => {
    const url = URL.parse(address);
    if (!url) return false;
    const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\]|sandbox\.test)$/.test(url.hostname);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return false;
    if (proven.length === 0) return true;
    return proven.some((one) =>
      one.includes("://") ? address.startsWith(one) : url.hostname === one || url.hostname.endsWith(`.${one}`),
    );
  };
  if (urls.every(isProven)) return;
  throw new ApiError(
    "url_ownership_unverified",
    "Please review our URL ownership verification rules at https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide#pull_from_url",
  );
}
