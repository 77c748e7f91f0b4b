import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, AppCredentials, Failure } from "../context.ts";
import { rejected } from "../outcomes.ts";
import type { Content } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { read } from "./api.ts";

/**
 * The account's settings, read before each post as TikTok requires: who may see it, what others may do with
 * it, how long a video may be. This is also where TikTok reports, with status 200, that the account cannot
 * post now.
 */

/** The most public first. */
const LEVELS: readonly string[] = ["PUBLIC_TO_EVERYONE", "FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];

/** The settings of a post beside text and files. */
export const PostSettings = z.object({
  /** Epoch milliseconds. */
  askedAt: z.number(),
  privacy: z.string(),
  noComments: z.boolean(),
  noDuets: z.boolean(),
  noStitches: z.boolean(),
});
export type PostSettings = z.output<typeof PostSettings>;

const CreatorInfo = z.object({
  privacy_level_options: z.array(z.string()),
  comment_disabled: z.boolean().optional(),
  duet_disabled: z.boolean().optional(),
  stitch_disabled: z.boolean().optional(),
  max_video_post_duration_sec: z.number().positive().optional().catch(undefined),
});

const FRESH_MS = 10 * MINUTE;

/** Whether the settings are outdated because the post had to wait: the account may have changed them. */
export function isStale({ now }: AccountContext, { askedAt }: PostSettings): boolean {
  return now - askedAt > FRESH_MS;
}

/** How this post will be published; a failure if the account cannot post it, or not now. */
export async function settle(
  context: AccountContext,
  { extra, declared }: Content,
  media: readonly Media[],
): Promise<{ readonly kind: "settled"; readonly settings: PostSettings } | Failure> {
  const wanted = extra?.privacyStatus ?? "public";
  if (declared.paid_partnership && mostPublic(wanted === "private", context.app) === "SELF_ONLY") return NOT_PRIVATE;
  const info = await read(context, "POST", { path: "post/publish/creator_info/query/" }, CreatorInfo);
  if (info.kind === "failed") return info;
  const { privacy_level_options, max_video_post_duration_sec: most = Number.POSITIVE_INFINITY } = info.value;
  if (wanted === "unlisted")
    return rejected("TikTok has no unlisted posts. Use public or private.", "unsupported_by_platform");
  const privacy = choosePrivacy(privacy_level_options, wanted, context.app);
  if (privacy === null) {
    const offered = privacy_level_options.join(", ") || "nothing";
    return rejected(
      `TikTok does not offer a ${wanted} post to this account. It offers: ${offered}.`,
      "account_restricted",
    );
  }
  if (declared.paid_partnership && privacy === "SELF_ONLY") return NOT_PRIVATE;
  const tooLong = media.find(({ durationSeconds }) => durationSeconds !== null && durationSeconds > most + ROUNDING);
  if (tooLong) {
    const lasts = `lasts ${Math.round(tooLong.durationSeconds ?? 0)} s`;
    return rejected(`${tooLong.url} ${lasts}; TikTok accepts at most ${most} s from this account.`, "media_invalid");
  }
  const { comment_disabled = false, duet_disabled = false, stitch_disabled = false } = info.value;
  const settings = {
    askedAt: context.now,
    privacy,
    noComments: comment_disabled,
    noDuets: duet_disabled,
    noStitches: stitch_disabled,
  };
  return { kind: "settled", settings };
}

/** Containers round durations by up to this many seconds. */
const ROUNDING = 0.5;

/**
 * For public posts: the most public level that the account offers, such as the followers of a private
 * account. It is never more public than the operator's TIKTOK_PRIVACY. A private post is never shown to
 * others.
 */
function choosePrivacy(offered: readonly string[], wanted: "public" | "private", app: AppCredentials): string | null {
  const most = mostPublic(wanted === "private", app);
  // An unknown value makes posts private.
  const allowed = LEVELS.slice(LEVELS.indexOf(most));
  return allowed.find((level) => offered.includes(level)) ?? null;
}

function mostPublic(isPrivate: boolean, { options }: AppCredentials): string {
  return isPrivate ? "SELF_ONLY" : (options?.privacy ?? "PUBLIC_TO_EVERYONE");
}

const NOT_PRIVATE = rejected(
  "TikTok does not publish a paid partnership that only the account owner can see. Make the post public, or withdraw declared.paid_partnership.",
  "content_invalid",
);
