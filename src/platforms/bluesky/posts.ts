import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Json, Unknown, Unprepared } from "../context.ts";
import {
  CLOCK_SLACK_MS,
  hasPerhapsOurs,
  type Listed,
  lenient,
  nearestTo,
  parseItems,
  readList,
  shownText,
  shownTime,
} from "../lists.ts";
import { okAs, perhapsLive, rejected, unknown } from "../outcomes.ts";
import type {
  Commit,
  CommitOutcome,
  Content,
  FindOutcome,
  FindRequest,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import { interpret, read, request, serverOf } from "./api.ts";
import { BLUESKY, errorName } from "./errors.ts";
import { prepare, progressOf } from "./prepare.ts";
import { COLLECTION, itemRecord, keyOf, type Progress, toPost } from "./records.ts";

/**
 * Publishing: each item is one record under a key that is stored before it is sent. A free key is written, a
 * key with the same record is answered as if it were, and one with another record is refused. So any unclear
 * call may be repeated, and reading the key shows whether it was carried out.
 */
const Written = z.object({ uri: z.string(), cid: z.string() });

async function commit(context: AccountContext, content: Content, stored: Json, item: Commit): Promise<CommitOutcome> {
  const progress = progressOf(stored);
  const made = itemRecord(content, progress, item.index, item.previous);
  if (!made) return unprepared(progress, "The post was not prepared.");
  // The account may have moved since its files were uploaded.
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const outcome = await write(context, server.origin, made);
  return outcome === "files missing" ? unprepared(progress, "The account's server has deleted the files.") : outcome;
}

/** Uploads the files again; the record stays the same, because the same bytes have the same description. */
function unprepared(progress: Progress, message: string): Unprepared {
  const hasPictures = progress.cards.some((card) => card?.thumb);
  return {
    kind: "unprepared",
    progress: { ...progress, blobs: [], cards: hasPictures ? [] : progress.cards },
    message,
    afterSeconds: 1,
  };
}

/** Writes one record under its key. */
export async function write(
  context: AccountContext,
  origin: string,
  { key, record }: { readonly key: string; readonly record: object },
): Promise<Exclude<CommitOutcome, { kind: "accepted" | "unprepared" }> | "files missing"> {
  const json = { repo: context.account.id, collection: COLLECTION, rkey: key, swapRecord: null, record };
  const answer = await request(context, origin, { method: "POST", name: "com.atproto.repo.putRecord", json });
  if (answer.kind === "answered" && errorName(answer) === "BlobNotFound") return "files missing";
  const outcome = interpret(context, answer, Written);
  return outcome.kind === "ok" ? { kind: "published", post: toPost(outcome.value) } : outcome;
}

const Found = z.object({ uri: z.string(), cid: z.string() });

/**
 * The record under a key, read at the server where the account lives now. Only the name of the error proves
 * that there is none: a deactivated account also has no records to show.
 */
export async function findKey(context: AccountContext, key: string): Promise<FindOutcome> {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const query = { repo: context.account.id, collection: COLLECTION, rkey: key };
  const url = `${server.origin}/xrpc/com.atproto.repo.getRecord`;
  const answer = await context.send({ method: "GET", url, query });
  if (answer.kind === "answered" && answer.status < 500 && errorName(answer) === "RecordNotFound")
    return { kind: "absent" };
  if (answer.kind === "answered" && answer.status === 400)
    return unknown("The account's server does not show the account now.");
  const found = interpretRead(BLUESKY, answer, Found, context.now);
  return found.kind === "ok" ? { kind: "found", post: toPost(found.value) } : found;
}

/** Pages of records that one look-up reads. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

const Item = Found.extend({
  value: z.looseObject({
    text: shownText,
    createdAt: shownTime,
    reply: lenient(z.object({ parent: z.object({ uri: z.string() }) })),
    embed: lenient(z.looseObject({ $type: z.string() })),
  }),
});
type Item = z.output<typeof Item>;
const Records = z.object({ records: z.array(z.unknown()), cursor: lenient(z.string()) });

/** The key is unknown: the record is found by its text, its place in the thread, and whether it has files. */
async function findAlike(
  context: AccountContext,
  content: Content,
  { index, previous, since, taken }: FindRequest,
): Promise<FindOutcome> {
  const item = content.items[index];
  if (!item) return { kind: "absent" };
  const oldest = since - CLOCK_SLACK_MS;
  const listed = await listSince(context, oldest);
  if (listed.kind !== "ok") return listed;
  const parent = previous.at(-1)?.id;
  const isAlike = (shown: string) => shown === item.text;
  const ours = listed.items.filter(({ uri, value }) => {
    const hasFile = /images|gallery|video|recordWithMedia/.test(value.embed?.$type ?? "");
    const isOther = taken.has(uri) || value.createdAt < oldest || value.reply?.parent.uri !== parent;
    return !isOther && value.text === item.text && hasFile === item.media.length > 0;
  });
  const nearest = nearestTo(since, ours, ({ value }) => value.createdAt);
  if (nearest && item.text !== "") return { kind: "found", post: toPost(nearest) };
  if (nearest || hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }))
    return perhapsLive("Bluesky shows a new post that may be this one.");
  return listed.isWhole ? { kind: "absent" } : unknown("The account has more new posts than the look-up reads.");
}

/** Newest first. */
async function listSince(context: AccountContext, oldest: number): Promise<Listed<Item> | Failure | Unknown> {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const url = `${server.origin}/xrpc/com.atproto.repo.listRecords`;
  return readList<Item, Failure>(MAX_PAGES, async (cursor) => {
    const query = { repo: context.account.id, collection: COLLECTION, limit: PAGE_SIZE, cursor };
    const page = interpretRead(BLUESKY, await context.send({ method: "GET", url, query }), Records, context.now);
    if (page.kind === "failed") return page;
    const { records, cursor: next = null } = page.value;
    const { items, odd } = parseItems(Item, records);
    const isLast = records.length === 0 || items.some(({ value }) => value.createdAt < oldest);
    return { kind: "page", items, odd, isLast, next };
  });
}

const Deleted = z.unknown().transform(() => true);

export async function remove(context: AccountContext, id: string): Promise<RemoveOutcome> {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const json = { repo: context.account.id, collection: COLLECTION, rkey: keyOf(id) };
  // A record that does not exist is answered like one that was deleted now.
  const call = { method: "POST", name: "com.atproto.repo.deleteRecord", json } as const;
  return okAs(await read(context, server.origin, call, Deleted), "removed");
}

export const posts: Publishing = {
  // The account's own server shows a record as soon as it is written.
  lists: { lagSeconds: 0, usualLagSeconds: 0, refusesRepeat: () => true },
  prepare,
  commit,
  confirm: async (_context, _content, _progress, { post }) => ({ kind: "live", post }),
  async find(context, content, stored, request) {
    if (stored === null) return findAlike(context, content, request);
    const { index } = request;
    const key = progressOf(stored).keys?.[index];
    return key === undefined ? { kind: "absent" } : findKey(context, key);
  },
  permalink: {
    shown: "at_once",
    read: async (_context, { id, secondaryId }) => ({
      kind: "found",
      post: toPost({ uri: id, cid: secondaryId ?? "" }),
    }),
  },
  remove: (context, _type, { id }) =>
    id.startsWith("at://") ? remove(context, id) : Promise.resolve(rejected("This is no post at Bluesky.")),
};
