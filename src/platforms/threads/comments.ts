import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { Commenting, CommentTarget, ReadComment } from "../commenting.ts";
import type { AccountContext, Json } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenient, shownText, shownTime } from "../lists.ts";
import { readComments } from "../meta/comment-pages.ts";
import { get } from "../meta/graph.ts";
import type { PlatformPost } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { acts } from "./comment-acts.ts";
import { advance, Container, isPublishable, NO_CONTAINER, type Plan } from "./containers.ts";
import { findWanted } from "./find.ts";
import { LIST_LAG_SECONDS, pauseOf, remove } from "./posts.ts";
import { publish } from "./publish.ts";
import { textRules } from "./text.ts";

/**
 * A comment at Threads is a post that replies to another post: the profile's (in a thread, its first item) or
 * another person's. It is created from a container, and is not deleted with the post that it answers.
 *
 * - Comments of others come from the whole conversation, which includes the later items of a thread. Authors
 *   have a name but no id.
 */
function containerOf(progress: Json | null): Container {
  return Container.safeParse(progress).data ?? NO_CONTAINER;
}

/** After this long, a comment that is not found was deleted. */
const NEW_MS = MINUTE;

const parentOf = ({ post, comment }: CommentTarget): string => (comment ?? post).id;

function planOf(target: CommentTarget, text: string, now: number): Plan {
  const isOld = target.comment !== null && now - target.comment.createdAt > NEW_MS;
  const form = { media_type: "TEXT", text, reply_to_id: parentOf(target) };
  return { form, file: null, answers: isOld ? "old" : "new" };
}

const Reply = z.object({
  id: PlatformId,
  text: shownText,
  username: lenient(z.string()),
  timestamp: shownTime,
  is_reply_owned_by_me: lenient(z.boolean()),
  replied_to: lenient(z.object({ id: lenient(PlatformId) })),
});
const FIELDS = "id,text,username,timestamp,is_reply_owned_by_me,replied_to";

/** Null for an item of the thread itself, and without a time: a comment's age decides what is allowed. */
function toRead(
  { account }: AccountContext,
  posts: readonly PlatformPost[],
  reply: z.output<typeof Reply>,
): ReadComment | null {
  const { id, text, username, timestamp: createdAt, is_reply_owned_by_me, replied_to } = reply;
  const isItem = (one: string) => posts.some((post) => post.id === one);
  if (isItem(id) || Number.isNaN(createdAt)) return null;
  const isNamedAlike = username && account.username !== null ? username === account.username : null;
  return {
    id,
    author: username ? { id: username, name: username } : null,
    createdAt,
    text: text ?? "",
    isTopLevel: !replied_to?.id || isItem(replied_to.id),
    isOwn: is_reply_owned_by_me ?? isNamedAlike,
  };
}

export const comments = {
  types: ["post", "thread"],
  text: () => textRules,
  lagSeconds: LIST_LAG_SECONDS,
  // Counts against the profile's 1,000 replies per day.
  pace: { most: 900, perSeconds: 24 * 3600, scope: "account" },
  async prepare(context, target, text, progress) {
    const container = containerOf(progress);
    if (isPublishable(container, context.now)) return { kind: "ready", progress: container };
    const step = await advance(context, container, planOf(target, text, context.now));
    if (step.kind === "failed") return step;
    const { upload } = step;
    return step.kind === "ready"
      ? { kind: "ready", progress: upload }
      : { kind: "more", progress: upload, ...pauseOf(step) };
  },
  async create(context, _target, _text, progress) {
    const outcome = await publish(context, containerOf(progress));
    if (outcome.kind !== "lost") return outcome;
    const { container, message, afterSeconds } = outcome;
    return { kind: "unprepared", progress: container, message, afterSeconds };
  },
  async find(context, target, { text, since, taken, progress }) {
    const wanted = { container: containerOf(progress), text, type: "TEXT_POST", parent: parentOf(target) };
    const found = await findWanted(context, wanted, { since, taken });
    return found.kind === "found" ? { kind: "found", id: found.post.id } : found;
  },
  remove,
  reading: {
    isNewestFirst: true,
    async list(context, posts, { cursor }) {
      const [root] = posts;
      if (!root) return { kind: "page", comments: [], next: null };
      const query = { fields: FIELDS, reverse: "true", limit: 100 };
      const call = (after: string | undefined) => get(`${root.id}/conversation`, { ...query, after });
      return readComments(graphOf(context), cursor, call, {
        item: Reply,
        toComments: (one) => [toRead(context, posts, one)],
      });
    },
  },
  acts,
} satisfies Commenting;
