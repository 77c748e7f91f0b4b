import { z } from "zod";
import { HOUR } from "../../core/time.ts";
import { interpretRead } from "../answers.ts";
import type { Commenting, CommentPage, CommentTarget, ReadComment } from "../commenting.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import { lenient, readable } from "../lists.ts";
import { rejected } from "../outcomes.ts";
import type { FindOutcome, PlatformPost, PrepareOutcome } from "../publishing.ts";
import { read, request, serverOf } from "./api.ts";
import { acts } from "./comment-acts.ts";
import { BLUESKY, errorName } from "./errors.ts";
import { findKey, remove, write } from "./posts.ts";
import { mentionedAccounts } from "./prepare.ts";
import { type Reference, toRecord, toReference } from "./records.ts";
import { postText } from "./text.ts";
import { newKeys } from "./tids.ts";

/**
 * A comment is a post in reply to another, under a key that is stored before it is sent. Other people's
 * replies live on their own servers; the network's index, which the account's server asks for us, shows them
 * seconds later.
 */
const Referenced = z.object({ uri: z.string(), cid: z.string() });
const Prepared = z.object({
  key: z.string(),
  at: z.number(),
  accounts: z.record(z.string(), z.string()),
  reply: z.object({ root: Referenced, parent: Referenced }),
});

const Reply = lenient(z.object({ root: Referenced, parent: Referenced }));
const Listed = z.object({
  posts: readable(z.object({ uri: z.string(), cid: z.string(), record: z.object({ reply: Reply }) })),
});

/** The post that is answered, and the first one of its conversation. */
async function referencesOf(
  context: AccountContext,
  { post, comment }: CommentTarget,
): Promise<{ readonly kind: "reply"; readonly root: Reference; readonly parent: Reference } | Failure> {
  const own = toReference(post);
  if (comment === null) return { kind: "reply", root: own, parent: own };
  const server = await serverOf(context, { isFresh: false });
  if (server.kind === "failed") return server;
  const call = { method: "GET", name: "app.bsky.feed.getPosts", query: { uris: comment.id } } as const;
  const listed = await read(context, server.origin, call, Listed);
  if (listed.kind === "failed") return listed;
  const answered = listed.value.posts.find(({ uri }) => uri === comment.id);
  if (!answered) return rejected("The comment to answer was deleted.");
  const { uri, cid, record } = answered;
  return { kind: "reply", root: record.reply?.root ?? { uri, cid }, parent: { uri, cid } };
}

async function prepare(
  context: AccountContext,
  target: CommentTarget,
  text: string,
  stored: Json | null,
): Promise<PrepareOutcome> {
  if (Prepared.safeParse(stored).success) return { kind: "ready", progress: stored };
  const references = await referencesOf(context, target);
  if (references.kind === "failed") return references;
  const accounts = await mentionedAccounts(context, text);
  if ("kind" in accounts) return accounts.failure;
  const { root, parent } = references;
  const [key = ""] = newKeys(context.now, 1);
  const reply = { root: { ...root }, parent: { ...parent } };
  return { kind: "more", progress: { key, at: context.now, accounts: accounts.found, reply } };
}

const MAX_DEPTH = 20;

const Viewed = z.object({
  uri: z.string(),
  author: z.object({ did: z.string(), handle: lenient(z.string()), displayName: lenient(z.string()) }),
  record: z.object({ text: lenient(z.string()), reply: Reply }),
  indexedAt: z.string(),
});
type Node = { readonly post?: z.output<typeof Viewed> | undefined; readonly replies: readonly unknown[] };
const Node: z.ZodType<Node> = z.object({ post: lenient(Viewed), replies: z.array(z.unknown()).catch([]).default([]) });
const Thread = z.object({ thread: Node });

async function list(context: AccountContext, posts: readonly PlatformPost[]): Promise<CommentPage | Failure> {
  const [root] = posts;
  if (!root) return { kind: "page", comments: [], next: null };
  const server = await serverOf(context, { isFresh: false });
  if (server.kind === "failed") return server;
  const query = { uri: root.id, depth: MAX_DEPTH, parentHeight: 0 };
  const answer = await request(context, server.origin, { method: "GET", name: "app.bsky.feed.getPostThread", query });
  // The index has not read the post yet.
  if (answer.kind === "answered" && answer.status < 500 && errorName(answer) === "NotFound")
    return { kind: "page", comments: [], next: null };
  const thread = interpretRead(BLUESKY, answer, Thread, context.now);
  if (thread.kind === "failed") return thread;
  const items = new Set(posts.map(({ id }) => id));
  const views = viewsIn(thread.value.thread).filter(({ uri }) => !items.has(uri));
  return { kind: "page", comments: views.map((view) => toComment(view, context.account.id, items)), next: null };
}

/** All posts of a conversation that are shown; deleted and blocked ones have no view. */
function viewsIn(root: Node): z.output<typeof Viewed>[] {
  const views: z.output<typeof Viewed>[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.post) views.push(node.post);
    waiting.push(...node.replies.flatMap((reply) => Node.safeParse(reply).data ?? []));
  }
  return views;
}

function toComment(
  { uri, author, record, indexedAt }: z.output<typeof Viewed>,
  accountId: string,
  items: ReadonlySet<string>,
): ReadComment {
  const at = Date.parse(indexedAt);
  return {
    id: uri,
    author: { id: author.did, name: author.displayName?.trim() || author.handle || null },
    createdAt: Number.isNaN(at) ? 0 : at,
    text: record.text ?? "",
    isTopLevel: items.has(record.reply?.parent.uri ?? ""),
    isOwn: author.did === accountId,
  };
}

export const comments: Commenting = {
  types: ["post", "thread"],
  text: () => postText,
  lagSeconds: 0,
  // Far below the points of an account, which allow some two thousand posts an hour.
  pace: { most: 100, perSeconds: HOUR / 1000, scope: "account" },
  prepare,
  async create(context, _target, text, stored) {
    const prepared = Prepared.safeParse(stored).data;
    if (!prepared) return rejected("The comment was not prepared.");
    const { key, at, accounts, reply } = prepared;
    const server = await serverOf(context, { isFresh: true });
    if (server.kind === "failed") return server;
    const outcome = await write(context, server.origin, { key, record: toRecord({ text, at, accounts, reply }) });
    if (outcome === "files missing") return rejected("The account's server does not accept the comment.");
    return outcome.kind === "published" ? { kind: "published", id: outcome.post.id } : outcome;
  },
  async find(context, { post, comment }, { progress, taken }) {
    const prepared = Prepared.safeParse(progress).data;
    const isMeant = prepared?.reply.parent.uri === (comment ?? post).id;
    const found: FindOutcome = prepared && isMeant ? await findKey(context, prepared.key) : { kind: "absent" };
    if (found.kind !== "found") return found;
    return taken.has(found.post.id) ? { kind: "absent" } : { kind: "found", id: found.post.id };
  },
  remove,
  reading: { lagSeconds: 30, isNewestFirst: false, list },
  acts,
};
