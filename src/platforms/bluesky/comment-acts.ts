import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { CommentAct, CommentActs } from "../commenting.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import { lenient, readable } from "../lists.ts";
import { down, okAs, rejected } from "../outcomes.ts";
import { read, request, serverOf } from "./api.ts";
import { BLUESKY, errorName } from "./errors.ts";
import { keyOf } from "./records.ts";
import { keyFrom } from "./tids.ts";

/**
 * Acts on other people's replies, each a record of the account: a like under a key made of the reply's
 * address, and the gate of the post, which lists its hidden replies. A repeat meets its own record.
 */
const LIKE = "app.bsky.feed.like";
const GATE = "app.bsky.feed.threadgate";

const ANY = z.unknown().transform(() => true);

interface Place {
  readonly collection: string;
  readonly rkey: string;
}

/** Writes one record. `swapRecord` is the content id that it replaces; null: the key must be free. */
async function put(
  context: AccountContext,
  origin: string,
  { record, swapRecord, ...place }: Place & { readonly record: Json; readonly swapRecord: string | null },
): Promise<{ readonly kind: "done" } | { readonly kind: "taken" } | Failure> {
  const json = { repo: context.account.id, ...place, swapRecord, record };
  const answer = await request(context, origin, { method: "POST", name: "com.atproto.repo.putRecord", json });
  if (answer.kind === "answered" && errorName(answer) === "InvalidSwap") return { kind: "taken" };
  return okAs(interpretRead(BLUESKY, answer, ANY, context.now), "done");
}

const Viewed = z.object({
  posts: readable(
    z.object({ uri: z.string(), cid: z.string(), viewer: lenient(z.object({ like: lenient(z.string()) })) }),
  ),
});

const like: CommentAct = async (context, { id }, isOn) => {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  const call = { method: "GET", name: "app.bsky.feed.getPosts", query: { uris: id } } as const;
  const listed = await read(context, server.origin, call, Viewed);
  if (listed.kind === "failed") return listed;
  const shown = listed.value.posts.find(({ uri }) => uri === id);
  // A like that was given in the app has a key of its own.
  const given = shown?.viewer?.like;
  const rkey = await keyFrom(id);
  if (!isOn) return withdraw(context, server.origin, new Set([rkey, ...(given === undefined ? [] : [keyOf(given)])]));
  if (!shown) return rejected("The reply was deleted.");
  if (given !== undefined) return { kind: "done" };
  const subject = { uri: id, cid: shown.cid };
  const record = { $type: LIKE, subject, createdAt: new Date(context.now).toISOString() };
  const outcome = await put(context, server.origin, { collection: LIKE, rkey, swapRecord: null, record });
  // An earlier attempt wrote it.
  return outcome.kind === "taken" ? { kind: "done" } : outcome;
};

/** A record that does not exist is answered like one that was deleted now. */
async function withdraw(
  context: AccountContext,
  origin: string,
  keys: ReadonlySet<string>,
): Promise<{ readonly kind: "done" } | Failure> {
  for (const rkey of keys) {
    const json = { repo: context.account.id, collection: LIKE, rkey };
    const call = { method: "POST", name: "com.atproto.repo.deleteRecord", json } as const;
    const deleted = await read(context, origin, call, ANY);
    if (deleted.kind === "failed") return deleted;
  }
  return { kind: "done" };
}

/** Whatever else a gate has, such as who may reply, is written back as it was. */
const Gate = z.object({ hiddenReplies: lenient(z.array(z.string())) }).catchall(z.json());
const StoredGate = z.object({ cid: z.string(), value: Gate });

const hide: CommentAct = async (context, { id, post }, isOn) => {
  const server = await serverOf(context, { isFresh: true });
  if (server.kind === "failed") return server;
  // A gate has the key of its post.
  const place = { collection: GATE, rkey: keyOf(post.id) };
  const query = { repo: context.account.id, ...place };
  const url = `${server.origin}/xrpc/com.atproto.repo.getRecord`;
  const answer = await context.send({ method: "GET", url, query });
  const isAbsent = answer.kind === "answered" && answer.status < 500 && errorName(answer) === "RecordNotFound";
  const stored = isAbsent ? null : interpretRead(BLUESKY, answer, StoredGate, context.now);
  if (stored?.kind === "failed") return stored;
  const gate = stored?.value.value ?? { $type: GATE, post: post.id, createdAt: new Date(context.now).toISOString() };
  const others = (stored?.value.value.hiddenReplies ?? []).filter((one) => one !== id);
  const hidden = stored?.value.value.hiddenReplies?.includes(id) ?? false;
  if (hidden === isOn) return { kind: "done" };
  const record = { ...gate, hiddenReplies: isOn ? [...others, id] : others };
  const swapRecord = stored?.value.cid ?? null;
  const outcome = await put(context, server.origin, { ...place, swapRecord, record });
  return outcome.kind === "taken" ? down("The post's hidden replies changed at the same moment.") : outcome;
};

export const acts = {
  hide,
  like,
  remove: "Bluesky does not let an account delete other people's replies. Hide it instead.",
} satisfies CommentActs;
