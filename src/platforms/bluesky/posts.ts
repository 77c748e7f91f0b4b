import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Json, Unprepared } from "../context.ts";
import { rejected, unknown } from "../outcomes.ts";
import type { Commit, CommitOutcome, Content, FindOutcome, Publishing, RemoveOutcome } from "../publishing.ts";
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

const Deleted = z.unknown().transform(() => true);

export async function remove(context: AccountContext, id: string): Promise<RemoveOutcome> {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const json = { repo: context.account.id, collection: COLLECTION, rkey: keyOf(id) };
  // A record that does not exist is answered like one that was deleted now.
  const call = { method: "POST", name: "com.atproto.repo.deleteRecord", json } as const;
  const outcome = await read(context, server.origin, call, Deleted);
  return outcome.kind === "ok" ? { kind: "removed" } : outcome;
}

export const posts: Publishing = {
  // The account's own server shows a record as soon as it is written.
  lists: { lagSeconds: 0, usualLagSeconds: 0, refusesRepeat: () => true },
  prepare,
  commit,
  confirm: async (_context, _content, _progress, { post }) => ({ kind: "live", post }),
  async find(context, _content, stored, { index }) {
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
