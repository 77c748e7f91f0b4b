import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, AppCredentials, Failure } from "../context.ts";
import { lateCover } from "../covers.ts";
import { PRIVACY_LEVELS, type PrivacyLevel } from "../options.ts";
import { rejected } from "../outcomes.ts";
import type { Content, PostingOptions } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { read } from "./api.ts";
import { isWithin, requestedLevel } from "./settings.ts";

/**
 * The account's settings, read before each post as TikTok requires: who may see it, what others may do with
 * it, how long a video may be. This is also where TikTok reports, with status 200, that the account cannot
 * post now.
 */

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

const Text = z.string().optional().catch(undefined);
const CreatorInfo = z.object({
  creator_nickname: Text,
  creator_username: Text,
  creator_avatar_url: Text,
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

function readInfo(context: AccountContext) {
  return read(context, "POST", { path: "post/publish/creator_info/query/" }, CreatorInfo);
}

/** How this post will be published; a failure if the account cannot post it, or not now. */
export async function settle(
  context: AccountContext,
  { extra, declared, options }: Content,
  media: readonly Media[],
): Promise<{ readonly kind: "settled"; readonly settings: PostSettings } | Failure> {
  const wanted = requestedLevel({ privacyStatus: extra?.privacyStatus, options });
  const limit = operatorLevel(context.app);
  const isBranded = declared.paid_partnership === true;
  if (isBranded && (wanted ?? limit) === "SELF_ONLY") return NOT_PRIVATE;
  if (wanted !== null && !isWithin(wanted, limit)) return beyond(limit);
  const info = await readInfo(context);
  if (info.kind === "failed") return info;
  const { privacy_level_options: offered, max_video_post_duration_sec: most = Number.POSITIVE_INFINITY } = info.value;
  if (extra?.privacyStatus === "unlisted" && options.privacy_level === undefined)
    return rejected("TikTok has no unlisted posts. Use public or private.", "unsupported_by_platform");
  const privacy = wanted === null ? mostPublic(offered, limit) : (offered.find((level) => level === wanted) ?? null);
  if (privacy === null) {
    const requested = options.privacy_level ?? (wanted === null ? "a public post" : "a private post");
    const list = offered.join(", ") || "nothing";
    return rejected(`TikTok does not offer ${requested} to this account. It offers: ${list}.`, "account_restricted");
  }
  if (isBranded && privacy === "SELF_ONLY") return NOT_PRIVATE;
  const tooLong = media.find(({ durationSeconds }) => durationSeconds !== null && durationSeconds > most + ROUNDING);
  if (tooLong) {
    // Exact to a tenth: it is half a second too long at least.
    const lasts = `lasts ${Number((tooLong.durationSeconds ?? 0).toFixed(1))} s`;
    return rejected(`${tooLong.url} ${lasts}; TikTok accepts at most ${most} s from this account.`, "media_invalid");
  }
  const late = lateCover(options, media);
  if (late !== null) return late;
  const offNow = turnedOff(info.value);
  const applies = media.some(({ kind }) => kind === "video") ? INTERACTIONS : (["comments"] as const);
  const forbidden = applies.find((name) => options[name] === true && offNow[name]);
  if (forbidden !== undefined) {
    const message = `The account does not allow ${forbidden}. Its owner can allow them in the TikTok app, or send options.${forbidden} false.`;
    return rejected(message, "account_restricted");
  }
  // A person who chose a level also chose what stays off: TikTok requires that nothing is on unasked.
  const isOff = (name: Interaction) => offNow[name] || !(options[name] ?? options.privacy_level === undefined);
  const settings = {
    askedAt: context.now,
    privacy,
    noComments: isOff("comments"),
    noDuets: isOff("duets"),
    noStitches: isOff("stitches"),
  };
  return { kind: "settled", settings };
}

/** What the account can choose, within the operator's TIKTOK_PRIVACY. */
export async function postingOptions(context: AccountContext): Promise<PostingOptions | Failure> {
  const info = await readInfo(context);
  if (info.kind === "failed") return info;
  const { account, app } = context;
  const { privacy_level_options: offered, max_video_post_duration_sec: maxVideoSeconds = null } = info.value;
  const off = turnedOff(info.value);
  return {
    kind: "options",
    name: info.value.creator_nickname ?? null,
    username: info.value.creator_username ?? account.username,
    pictureUrl: info.value.creator_avatar_url ?? null,
    privacyLevels: PRIVACY_LEVELS.filter((level) => offered.includes(level) && isWithin(level, operatorLevel(app))),
    comments: !off.comments,
    duets: !off.duets,
    stitches: !off.stitches,
    maxVideoSeconds,
  };
}

const INTERACTIONS = ["comments", "duets", "stitches"] as const;
type Interaction = (typeof INTERACTIONS)[number];

function turnedOff(info: z.output<typeof CreatorInfo>): Readonly<Record<Interaction, boolean>> {
  const { comment_disabled = false, duet_disabled = false, stitch_disabled = false } = info;
  return { comments: comment_disabled, duets: duet_disabled, stitches: stitch_disabled };
}

/** Containers round durations by up to this many seconds. */
const ROUNDING = 0.5;

/** The most public level that the account offers, such as the followers of a private account. */
function mostPublic(offered: readonly string[], limit: PrivacyLevel): PrivacyLevel | null {
  return PRIVACY_LEVELS.find((level) => offered.includes(level) && isWithin(level, limit)) ?? null;
}

/** No post is more public than the operator's TIKTOK_PRIVACY. An unknown value makes posts private. */
function operatorLevel({ options }: AppCredentials): PrivacyLevel {
  const named = options?.privacy ?? "PUBLIC_TO_EVERYONE";
  return PRIVACY_LEVELS.find((level) => level === named) ?? "SELF_ONLY";
}

const NOT_PRIVATE = rejected(
  "TikTok does not publish a paid partnership that only the account owner can see. Make the post public, or withdraw declared.paid_partnership.",
  "content_invalid",
);

function beyond(limit: PrivacyLevel): Failure {
  const message = `The operator of this service allows TikTok posts of level ${limit} at most. Choose that level.`;
  return rejected(message, "account_restricted");
}
