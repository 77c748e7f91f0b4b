import { eq, type SQL, sql } from "drizzle-orm";
import { ownChannelId } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { said, type Warning } from "../../core/checks.ts";
import { AppError, type FieldProblem, invalidFields } from "../../core/errors.ts";
import type { ChannelId, PostId, ProjectId } from "../../core/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../core/time.ts";
import { sha256Hex } from "../../core/tokens.ts";
import type { Db } from "../../db/client.ts";
import { template } from "../../db/template.ts";
import { selectOwners } from "../../files/store.ts";
import { MEDIA_PATH, ownFileName } from "../../media/own-address.ts";
import { foldText } from "../../platforms/similar-text.ts";
import type { Deps } from "../../service/deps.ts";
import type { PostContent } from "../content/content.ts";
import type { OwnFiles } from "../content/file-kinds.ts";
import { listUpcoming } from "../lists/upcoming.ts";
import type { CreatePostBody } from "../schema.ts";
import { postCountsTable, postsTable } from "../table.ts";

/**
 * What a request that writes a post is checked against, apart from its content: the project's quotas, its
 * files, and the captions of the last day. Each check has a query (`select…`) for the request's one read, and
 * a function for the rows.
 */

/**
 * The quotas of a project for posts: waiting posts, and bytes of texts. Both are in the project's counter
 * row, which triggers keep, and are read with everything else that a request reads. Concurrent requests read
 * the same row: the transaction that creates a post checks the number of posts again; the bytes may exceed
 * their quota by what these requests carry.
 */
export interface Usage {
  /** Drafts, scheduled, queued, and being published. */
  readonly waitingPosts: number;
  readonly storedBytes: number;
}

/** The project's counter row, for a batch. */
export function selectUsage(db: Db, { projectId }: Pick<Caller, "projectId">) {
  return db
    .select({ waitingPosts: postCountsTable.waiting, storedBytes: postCountsTable.bytes })
    .from(postCountsTable)
    .where(eq(postCountsTable.projectId, projectId));
}

/** A project without posts has no row. */
export function toUsage([usage = { waitingPosts: 0, storedBytes: 0 }]: readonly Usage[]): Usage {
  return usage;
}

/**
 * True at the end of a transaction that creates a post, while the quota of waiting posts holds (db/client.ts,
 * `requireStill`).
 */
export function isWithinQuota({ quotas }: Pick<Deps["config"], "quotas">, projectId: ProjectId): SQL {
  return sql`(SELECT waiting FROM post_counts WHERE project_id = ${projectId}) <= ${quotas.waitingPosts}`;
}

/** The same of the bytes of texts, for what adds to them by itself (files of posts). */
export function isWithinBytes({ config }: Pick<Deps, "config">, projectId: ProjectId): SQL {
  return sql`coalesce((SELECT bytes FROM post_counts WHERE project_id = ${projectId}), 0) <= ${config.quotas.storedBytes}`;
}

const encoder = new TextEncoder();

/** The bytes of a post's texts, as the triggers count them. */
export function contentBytes(draft: PostContent): number {
  const { caption, mediaUrls, altTexts, hashTags, thread, extra, firstComment } = draft;
  const parts = [mediaUrls, altTexts, hashTags, thread, ...(extra ? [extra] : [])].map((part) => JSON.stringify(part));
  return encoder.encode(caption + parts.join("") + (firstComment ?? "")).byteLength;
}

/** Throws `quota_exceeded` if there is no room for one more waiting post. */
export async function requireRoomToWait({ db, config }: Deps, caller: Caller, usage: Usage): Promise<void> {
  const limit = config.quotas.waitingPosts;
  if (usage.waitingPosts < limit) return;
  const used = usage.waitingPosts.toLocaleString("en");
  throw new AppError(
    "quota_exceeded",
    `${used} posts of this project are waiting (drafts, scheduled, queued and being published); the maximum is ${limit.toLocaleString("en")}. Delete some, or try again after some were published.`,
    { retryAfterSeconds: await secondsToNext(db, caller) },
  );
}

/** Throws `quota_exceeded` if this many more bytes exceed the quota. */
export function requireRoomForBytes({ config }: Pick<Deps, "config">, usage: Usage, added: number): void {
  const limit = config.quotas.storedBytes;
  if (added <= 0 || usage.storedBytes + added <= limit) return;
  const [used, more, most] = [usage.storedBytes, added, limit].map((bytes) => bytes.toLocaleString("en"));
  throw new AppError(
    "quota_exceeded",
    `The posts of this project, with files of posts that are not imported yet, hold ${used} bytes of text, and this would add ${more}; the maximum is ${most}. Delete old posts (their texts are purged 30 days later), or ask the operator of this service for a higher quota.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

/** Seconds until the next waiting post is due: a minute if none has a time, at most an hour. */
async function secondsToNext(db: Db, caller: Caller): Promise<number> {
  const [next] = await listUpcoming(db, caller, 1);
  const ms = next ? Math.max(SECOND, next.publishAt - Date.now()) : MINUTE;
  return Math.ceil(Math.min(ms, HOUR) / SECOND);
}

/**
 * Files of this service in a request must belong to its project. Another project's file is answered like an
 * absent one. An address on another host that only looks similar is an ordinary address, unless the bucket
 * has its name.
 */
interface NamesMedia {
  readonly media_urls?: readonly string[] | undefined;
  readonly options?: { readonly cover_url?: string | undefined } | null | undefined;
  readonly twitter_threads?: readonly { readonly media_urls?: readonly string[] | undefined }[] | undefined;
}

interface Named {
  readonly field: string;
  readonly url: string;
  readonly name: string;
}

function namedIn({ media_urls = [], twitter_threads = [], options }: NamesMedia): readonly Named[] {
  const lists = [
    { at: "media_urls", urls: media_urls },
    ...twitter_threads.map((item, index) => ({
      at: `twitter_threads.${index}.media_urls`,
      urls: item.media_urls ?? [],
    })),
  ];
  const files = lists.flatMap(({ at, urls }) => urls.map((url, index) => ({ field: `${at}.${index}`, url })));
  const cover = options?.cover_url === undefined ? [] : [{ field: "options.cover_url", url: options.cover_url }];
  return [...files, ...cover].flatMap(({ field, url }) => {
    const name = ownFileName(url);
    return name === null ? [] : [{ field, url, name }];
  });
}

/** The owners of the files that these bodies name, for a batch; null if they name none. */
export function selectNamed(db: Db, projectId: ProjectId, ...bodies: readonly NamesMedia[]) {
  const names = bodies.flatMap(namedIn).map(({ name }) => name);
  return names.length === 0 ? null : selectOwners(db, projectId, [...new Set(names)]);
}

/**
 * Returns the named files that the project has; throws the 422 for others. `owners`: the rows of
 * `selectNamed`.
 */
export function requireOwnMedia(
  { config }: Pick<Deps, "config">,
  body: NamesMedia,
  owners: Awaited<NonNullable<ReturnType<typeof selectNamed>>> | null,
): OwnFiles {
  if (owners === null) return new Map();
  const isOwn = new Map(owners.map((file) => [file.name, file.isOwn === 1]));
  const ours = config.publicOrigin === null ? null : `${config.publicOrigin}${MEDIA_PATH}`;
  const isMissing = ({ url, name }: Named) => !(isOwn.get(name) ?? (ours === null || !url.startsWith(ours)));
  const [first, ...others] = namedIn(body).filter(isMissing).map(missing);
  if (first) throw invalidFields([first, ...others]);
  return new Map(
    owners.flatMap(({ name, isGenerated, media, library }) => {
      const file = { isGenerated, kind: media?.kind ?? null, altText: library?.altText ?? null };
      return isOwn.get(name) ? [[name, file] as const] : [];
    }),
  );
}

function missing({ field, url }: Named): FieldProblem {
  const message = `${field} must be a file of this project: ${url} does not exist, or was deleted. Upload it with upload-media.`;
  return { field, code: "reference_invalid", isAbsent: true, ...said(message, "no_file", url) };
}

/**
 * A caption that repeats one of the last 24 hours on the same channel causes a warning, not a refusal.
 */

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
