import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Json } from "../context.ts";
import type { Declared } from "../declarations.ts";
import { PlatformId } from "../json.ts";
import { rejected } from "../outcomes.ts";
import type { Commit, CommitOutcome, Content, PlatformPost, Publishing, RemoveOutcome } from "../publishing.ts";
import { interpret, isGone, isParentMissing, request } from "./api.ts";
import { X } from "./errors.ts";
import { find } from "./find.ts";
import { findLinks } from "./links.ts";
import { describeMedia, mediaIds, prepare } from "./media.ts";
import { toPost } from "./permalink.ts";
import { SUMMONED } from "./prices.ts";

/**
 * Publishing at X: one request per item, after those of its alt texts; the items of a thread each reply to
 * the previous one. Look-ups after a lost answer: find.ts.
 */

/**
 * How late X may list a post. Most reported lags are seconds or a few minutes, the longest was fourteen
 * minutes; we wait ten. X's duplicate refusal protects a plain text that is sent again after that, but not
 * one with a link or media.
 */
export const LIST_LAG_SECONDS = 600;
const USUAL_LAG_SECONDS = 5;

const Created = z.object({ data: z.object({ id: PlatformId }) });

async function commit(context: AccountContext, content: Content, progress: Json, item: Commit): Promise<CommitOutcome> {
  const { index, previous } = item;
  const source = content.items[index];
  const media_ids = mediaIds(content, progress, index);
  if (!source || media_ids === null) return rejected("The media of this post were not uploaded. Post it again.");
  const described = await describeMedia(context, content, progress, item);
  if (described.kind !== "described") return described;
  const last = previous.at(-1);
  const parent = last && { id: last.id, isNew: true };
  // Declarations and the place stand on the first item of a thread, for all of it.
  const { declared, options } = index === 0 ? content : NOTHING;
  return createItem(context, { text: source.text, media_ids, parent, declared, placeId: options.location_id });
}

const NOTHING: Pick<Content, "declared" | "options"> = { declared: {}, options: {} };

interface NewItem {
  readonly text: string;
  readonly media_ids: readonly string[];
  readonly parent: Parent | undefined;
  readonly declared: Declared;
  readonly placeId?: string | undefined;
  /** Whether it answers another person, who mentioned the account: X charges less. */
  readonly isSummoned?: boolean;
}

interface Parent {
  readonly id: string;
  /** X may not show a new parent yet: the reply is retried. A parent that is not new was deleted. */
  readonly isNew: boolean;
}

/** Creates one post, in reply to another if it has a `parent`. */
export async function createItem(
  context: AccountContext,
  { text, media_ids, parent, declared, placeId, isSummoned = false }: NewItem,
): Promise<Exclude<CommitOutcome, { kind: "accepted" | "unprepared" }>> {
  const json = {
    ...(text === "" ? {} : { text }),
    ...(media_ids.length === 0 ? {} : { media: { media_ids } }),
    ...(parent ? { reply: { in_reply_to_tweet_id: parent.id } } : {}),
    ...(declared.made_with_ai ? { made_with_ai: true } : {}),
    ...(declared.paid_partnership ? { paid_partnership: true } : {}),
    ...(placeId === undefined ? {} : { geo: { place_id: placeId } }),
  };
  const price = isSummoned ? { chargedAs: SUMMONED } : {};
  const answer = await request(context, { method: "POST", path: "tweets", json, ...price });
  if (parent?.isNew && answer.kind === "answered" && isParentMissing(answer)) {
    const message = "X does not show the post that this one answers yet.";
    return { kind: "failed", reason: "down", message, retryAfterSeconds: 2 };
  }
  const outcome = interpret(context, answer, Created);
  return outcome.kind === "ok" ? { kind: "published", post: toPost(context, outcome.value.data.id) } : outcome;
}

/**
 * X rejects a text that the account has posted before. With media it does not always, and links get a new
 * t.co in each post.
 */
function refusesRepeat({ items }: Content, index: number): boolean {
  const item = items[index];
  return item !== undefined && item.media.length === 0 && findLinks(item.text).next().done === true;
}

const Deleted = z.object({ data: z.object({ deleted: z.boolean() }) });

export async function remove(context: AccountContext, { id }: Pick<PlatformPost, "id">): Promise<RemoveOutcome> {
  const answer = await request(context, { method: "DELETE", path: `tweets/${id}` });
  if (answer.kind === "answered" && isGone(answer)) return { kind: "removed" };
  const outcome = interpretRead(X, answer, Deleted, context.now);
  if (outcome.kind === "failed") return outcome;
  return outcome.value.data.deleted ? { kind: "removed" } : rejected("X did not delete the post. Delete it at x.com.");
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    usualLagSeconds: USUAL_LAG_SECONDS,
    refusesRepeat,
  },
  prepare,
  commit,
  // A post is live as soon as X has given it an id.
  confirm: async (_context, _content, _progress, { post }) => ({ kind: "live", post }),
  find: (context, content, _progress, request) => find(context, content, request),
  permalink: {
    shown: "at_once",
    read: async (context, { id }) => ({ kind: "found", post: toPost(context, id) }),
  },
  remove: (context, _type, post) => remove(context, post),
};
