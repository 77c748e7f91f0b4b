import { sql } from "drizzle-orm";
import { ownChannelId } from "../../channels/store.ts";
import { said, type Warning } from "../../core/checks.ts";
import type { ChannelId, PostId, ProjectId } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { sha256Hex } from "../../core/tokens.ts";
import type { Db } from "../../db/client.ts";
import { template } from "../../db/template.ts";
import { foldText } from "../../platforms/similar-text.ts";
import type { CreatePostBody } from "../schema.ts";
import { postsTable } from "../table.ts";

/** A caption that repeats one of the last 24 hours on the same channel causes a warning, not a refusal. */

const WITHIN_MS = DAY;

/**
 * The newest posts with the same text that are read; failed and deleted ones are among them, but cause no
 * warning.
 */
const LOOKED_AT = 20;

/** The texts of a post: its caption, or the items of its thread. */
export interface Said {
  readonly caption: string;
  readonly thread: readonly { readonly message: string }[];
}

/** The texts of a request. */
export function saidIn({ post_type, caption_text = "", twitter_threads = [] }: CreatePostBody): Said {
  return post_type === "thread" ? { caption: "", thread: twitter_threads } : { caption: caption_text, thread: [] };
}

/** Equal for equal texts: without case, white space and `hash_tags`. */
export async function captionHash({ caption, thread }: Said): Promise<string> {
  const text = thread.length > 0 ? thread.map(({ message }) => message).join("\n") : caption;
  return (await sha256Hex(foldText(text).toLowerCase())).slice(0, 32);
}

interface Wanted {
  readonly projectId: ProjectId;
  readonly channelId: ChannelId;
  readonly hash: string;
  readonly since: number;
  /** The post that is checked, or 0. */
  readonly except: number;
}

const select = template<Wanted>()((db, place) => {
  const channel = ownChannelId(place("projectId"), place("channelId"));
  // Read one by one, until one counts.
  const same = sql`SELECT id FROM posts INDEXED BY posts_by_caption WHERE channel_id = ${channel}
    AND caption_hash = ${place("hash")} AND created_at > ${place("since")} ORDER BY created_at DESC LIMIT ${sql.raw(`${LOOKED_AT}`)}`;
  const counts = sql`posts.state NOT IN ('failed', 'deleted') AND posts.id <> ${place("except")}`;
  return db
    .select({ id: postsTable.id })
    .from(sql`(${same}) AS same`)
    .innerJoin(postsTable, sql`posts.id = same.id AND ${counts}`)
    .limit(1);
});

/** The newest post of the last 24 hours on the channel with the same text; for a batch. */
export function selectRepeated(
  db: Db,
  wanted: Pick<Wanted, "projectId" | "channelId" | "hash"> & { readonly except?: PostId },
  now: number,
) {
  return select(db, { ...wanted, except: wanted.except ?? 0, since: now - WITHIN_MS });
}

/** The warning for the caller; none if nothing is repeated. */
export function repeatWarnings(repeated: readonly { readonly id: PostId }[], isThread: boolean): Warning[] {
  const field = isThread ? "twitter_threads" : "caption_text";
  return repeated.map(({ id }) => {
    const message = `${field} repeats post ${id}, created on this channel in the last 24 hours.`;
    return { field, ...said(message, "repeats_post", String(id)) };
  });
}
