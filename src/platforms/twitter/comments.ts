import { MINUTE } from "../../core/time.ts";
import type { Commenting } from "../commenting.ts";
import { acts } from "./comment-acts.ts";
import { findItem } from "./find.ts";
import { createItem, LIST_LAG_SECONDS, remove } from "./posts.ts";
import { reading } from "./replies.ts";
import { postText } from "./text.ts";

/**
 * A comment at X is a post in reply to another: to the account's own (for a thread, its first item), or to a
 * reply that mentions the account. It outlives the post that it replies to. X rejects a text that the account
 * has posted before, whatever it replied to.
 */

/** For this long, a new reply may not be visible in all of X's systems. */
const NEW_MS = MINUTE;

export const comments: Commenting = {
  types: ["post", "tweet", "thread"],
  text: postText,
  lagSeconds: LIST_LAG_SECONDS,
  allowance: "publish",
  // X allows 100 posts of any kind in that time. An older limit of 300 in three hours may still apply, and
  // posts need the rest.
  pace: { most: 20, perSeconds: 15 * 60, scope: "account" },
  async create(context, { post, comment }, text) {
    const isNew = comment === null || context.now - comment.createdAt < NEW_MS;
    const outcome = await createItem(context, {
      text,
      media_ids: [],
      declared: {},
      parent: { id: (comment ?? post).id, isNew },
      isSummoned: comment !== null,
    });
    return outcome.kind === "published" ? { kind: "published", id: outcome.post.id } : outcome;
  },
  async find(context, { post, comment }, { text, since, taken }) {
    const found = await findItem(context, { text, hasMedia: false, parent: (comment ?? post).id }, { since, taken });
    return found.kind === "found" ? { kind: "found", id: found.post.id } : found;
  },
  remove: (context, id) => remove(context, { id }),
  reading,
  acts,
};
