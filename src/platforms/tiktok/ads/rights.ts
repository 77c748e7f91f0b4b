import { z } from "zod";
import { listWords } from "../../../core/text.ts";
import type { Advertising, Boost } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { type Page, readable, readList } from "../../lists.ts";
import { rejected } from "../../outcomes.ts";
import type { PlatformPost } from "../../publishing.ts";
import { awaitId, isPhotos, isTask, NO_ID } from "../task.ts";
import { listAdvertisers } from "./accounts.ts";
import { read } from "./api.ts";
import { locate } from "./targeting.ts";
import { goalOf, utcTime } from "./terms.ts";

/**
 * The right to show a post as an ad (Spark Ads), represented by an identity of the ad account:
 *
 * - The account of the post is linked with the ad account (`TT_USER`) and identified by its username: this
 *   covers all of its public posts.
 * - Otherwise the account owner has shared this post with the ad account by a code (`AUTH_CODE`): for a
 *   period, which must last until the boost ends.
 */
const Identity = z.object({ type: z.enum(["TT_USER", "AUTH_CODE"]), id: z.string() });
type Identity = z.output<typeof Identity>;

/** The progress of `prepare`. */
export const Prepared = z.object({ identity: Identity, locations: z.record(z.string(), z.string()) });

const PageInfo = z.object({ total_page: z.coerce.number() }).optional().catch(undefined);

const Linked = z.object({
  identity_id: PlatformId,
  username: z.string().optional().catch(undefined),
  display_name: z.string().optional().catch(undefined),
  profile_image: z.string().optional().catch(undefined),
  available_status: z.string().optional().catch(undefined),
  can_pull_video: z.boolean().optional().catch(undefined),
});
export type Linked = z.output<typeof Linked>;
const Identities = z.object({ identity_list: readable(Linked).nullish(), page_info: PageInfo });

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/** The TikTok accounts that are linked with an ad account, up to five hundred. */
export async function listLinked(context: Pick<AccountContext, "send" | "now" | "credentials">, advertiserId: string) {
  return readList<Linked, Failure>(MAX_PAGES, async (cursor): Promise<Page<Linked> | Failure> => {
    const page = Number(cursor ?? 1);
    const query = { advertiser_id: advertiserId, identity_type: "TT_USER", page, page_size: PAGE_SIZE };
    const answer = await read(context, "identity/get", query, Identities);
    if (answer.kind === "failed") return answer;
    const { identity_list, page_info } = answer.value;
    const isLast = page >= (page_info?.total_page ?? 1);
    return { kind: "page", items: identity_list ?? [], isLast, next: String(page + 1) };
  });
}

const Detail = z.object({ status: z.string().optional().catch(undefined) });
/** The documentation says that it contains one post; in practice the post is in `video_detail`. */
const Post = z
  .object({ video_detail: Detail })
  .transform(({ video_detail }) => video_detail)
  .or(Detail);
/** The end of both TikTok statuses of a public post. */
const PUBLIC = "HESITATE_RECOMMEND";

const Authorized = z.object({
  auth_info: z.object({ ad_auth_status: z.string(), auth_end_time: z.string().optional().catch(undefined) }),
  item_info: z.object({ item_id: PlatformId }),
  user_info: z.object({ identity_id: PlatformId, tiktok_name: z.string().optional().catch(undefined) }),
});
const AuthorizedPosts = z.object({ list: readable(Authorized).nullish(), page_info: PageInfo });
const AUTHORIZED_PAGE_SIZE = 50;

type Right =
  | { readonly kind: "right"; readonly identity: Identity; readonly name: string }
  /** In a sentence, with what to do. */
  | { readonly kind: "none"; readonly reason: string };

/** `until`: how long the right must last, epoch milliseconds. */
async function findRight(
  context: AccountContext,
  advertiserId: string,
  post: PlatformPost,
  until: number,
): Promise<Right | Failure> {
  const { username } = context.account;
  const linked = await listLinked(context, advertiserId);
  if (linked.kind === "failed") return linked;
  const mine = linked.items.find((one) => username !== null && isSameName(one.username, username));
  const lacking = whatLacks(mine, username);
  if (lacking.kind === "nothing") return byAccount(context, advertiserId, lacking.identity, post);
  const shared = await findAuthorized(context, advertiserId, post);
  if (shared.kind === "failed") {
    return shared.reason === "rejected" || shared.reason === "permission_missing" ? lacking : shared;
  }
  const code = shared.post;
  if (code === null) return lacking;
  const { auth_end_time: end } = code.auth_info;
  if (end !== undefined && Date.parse(`${end.replace(" ", "T")}Z`) < until) {
    const reason = `The post is shared with the ad account until ${end}, but the boost lasts until ${utcTime(until)}. Extend the video code in TikTok.`;
    return { kind: "none", reason };
  }
  const { identity_id: id, tiktok_name = username ?? "" } = code.user_info;
  return { kind: "right", identity: { type: "AUTH_CODE", id }, name: tiktok_name };
}

function isSameName(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

type Lacking =
  | { readonly kind: "nothing"; readonly identity: Linked }
  | { readonly kind: "none"; readonly reason: string };

/** Whether this identity can authorize ads with its posts, and what to do if it cannot. */
function whatLacks(mine: Linked | undefined, username: string | null): Lacking {
  const who = username === null ? "The TikTok account" : `@${username}`;
  const none = (problem: string): Lacking => ({ kind: "none", reason: `${who} ${problem}` });
  if (!mine) {
    return none(
      "is not linked with this ad account. Link it in TikTok Ads Manager (Tools, TikTok accounts), or share the post there by its video code.",
    );
  }
  switch (mine.available_status ?? "AVAILABLE") {
    case "AVAILABLE":
      break;
    case "IS_PRIVATE_ACCOUNT":
      return none("is private. Make the account public in TikTok to boost its posts.");
    case "NOT_BUSINESS_ACCOUNT":
      return none("is not a business account. Change it to one in TikTok's settings to boost its posts.");
    default:
      return none(
        `is linked with this ad account, but no longer permitted (${mine.available_status}). Link it again in TikTok Ads Manager (Tools, TikTok accounts).`,
      );
  }
  if (mine.can_pull_video !== false) return { kind: "nothing", identity: mine };
  return none(
    "is linked with this ad account without its posts. Link it again in TikTok Ads Manager (Tools, TikTok accounts), and allow it to use existing posts.",
  );
}

async function byAccount(
  context: AccountContext,
  advertiserId: string,
  { identity_id: id, display_name, username = "" }: Linked,
  post: PlatformPost,
): Promise<Right | Failure> {
  const query = { advertiser_id: advertiserId, identity_id: id, identity_type: "TT_USER", item_id: post.id };
  const answer = await read(context, "identity/video/info", query, Post);
  if (answer.kind === "failed") {
    return answer.reason === "rejected" ? { kind: "none", reason: answer.message } : answer;
  }
  const { status } = answer.value;
  if (status !== undefined && !status.endsWith(PUBLIC)) {
    return { kind: "none", reason: `Only a public post can be boosted. TikTok reports the status ${status}.` };
  }
  return { kind: "right", identity: { type: "TT_USER", id }, name: display_name || username };
}

/** The post if it was shared with the ad account by a code; null if it was not, or the right expired. */
async function findAuthorized(context: AccountContext, advertiserId: string, post: PlatformPost) {
  type Shared = z.output<typeof Authorized>;
  const listed = await readList<Shared, Failure>(MAX_PAGES, async (cursor): Promise<Page<Shared> | Failure> => {
    const page = Number(cursor ?? 1);
    const query = { advertiser_id: advertiserId, page, page_size: AUTHORIZED_PAGE_SIZE };
    const answer = await read(context, "tt_video/list", query, AuthorizedPosts);
    if (answer.kind === "failed") return answer;
    const { list, page_info } = answer.value;
    const items = list ?? [];
    const isLast = items.some(isThis) || page >= (page_info?.total_page ?? 1);
    return { kind: "page", items, isLast, next: String(page + 1) };
  });
  function isThis({ auth_info, item_info }: Shared): boolean {
    return item_info.item_id === post.id && auth_info.ad_auth_status === "AUTHORIZED";
  }
  return listed.kind === "failed" ? listed : { kind: "shared" as const, post: listed.items.find(isThis) ?? null };
}

/** Whether the post is pictures, not a video. */
export function hasPictures({ secondaryId, permalink }: PlatformPost): boolean {
  return (secondaryId !== null && isPhotos(secondaryId)) || (permalink?.includes("/photo/") ?? false);
}

export const eligibility: Advertising["eligibility"] = async (context, post, adAccountId) => {
  const no = (reason: string) => ({ kind: "eligibility", isEligible: false, reason, page: null }) as const;
  if (isTask(post.id)) return no(NO_ID);
  const advertisers = await advertiserOf(context, adAccountId);
  if (advertisers.kind === "failed") return advertisers;
  const [advertiserId] = advertisers.ids;
  if (advertiserId === undefined) return no("This connection no longer has an ad account at TikTok. Reconnect it.");
  const right = await findRight(context, advertiserId, post, context.now);
  if (right.kind === "failed") return right;
  if (right.kind === "none") return no(right.reason);
  return { kind: "eligibility", isEligible: true, reason: null, page: { id: right.identity.id, name: right.name } };
};

/** The named ad account, or else the one by which the login was matched to this channel. */
async function advertiserOf(context: AccountContext, adAccountId: string | null) {
  const known = adAccountId ?? context.credentials.accountId;
  return known === undefined ? listAdvertisers(context) : { kind: "ids" as const, ids: [known] };
}

export const prepare: NonNullable<Advertising["prepare"]> = async (context, boost, progress) => {
  const problem = unfitting(boost) ?? awaitId(boost.post, progress);
  if (problem) return problem;
  const right = await findRight(context, boost.adAccountId, boost.post, boost.endAt);
  if (right.kind === "failed") return right;
  if (right.kind === "none") return rejected(right.reason);
  const located = await locate(context, boost);
  if (located.kind === "failed") return located;
  const { identity } = right;
  return { kind: "ready", progress: { identity: { ...identity }, locations: { ...located.locations } } };
};

/** Why the boost is impossible, regardless of TikTok's answer; null if it is possible. */
function unfitting({ post, objective }: Boost): Failure | null {
  const goal = goalOf(objective);
  if (goal.kind === "failed") return goal;
  if (objective !== "video_views" || !hasPictures(post)) return null;
  return rejected(
    `A post of pictures has no video to view. Choose another objective: ${listWords(["awareness", "traffic", "engagement"], "or")}.`,
    "unsupported_by_platform",
  );
}
