import { MINUTE } from "../../core/time.ts";
import type { Commenting } from "../commenting.ts";
import { findItem } from "./find.ts";
import { createItem, LIST_LAG_SECONDS, remove } from "./posts.ts";
import { reading } from "./replies.ts";
import { postText } from "./text.ts";

/**
 * A comment at X is a post of its own in reply to another: to the account's own (of a thread to its first
 * item), or to a reply that mentions the account. It outlives what it answers. X refuses a text that the
 * account has posted before, whatever it answered then.
 */

/** As long after it was written, a reply may not have come to every part of X yet. */
const NEW_MS = MINUTE;

export const comments: Commenting = {
  types: ["post", "tweet", "thread"],
  text: postText,
  lagSeconds: LIST_LAG_SECONDS,
  allowance: "publish",
  // X takes 100 posts of any kind in that time; an older rule of 300 in three hours may still hold, and posts
  // need the rest.
  pace: { most: 20, perSeconds: 15 * 60, scope: "account" },
  async create(context, { post, comment }, text) {
    const isNew = comment === null || context.now - comment.createdAt < NEW_MS;
    const outcome = await createItem(context, { text, media_ids: [], parent: { id: (comment ?? post).id, isNew } });
    return outcome.kind === "published" ? { kind: "published", id: outcome.post.id } : outcome;
  },
  async find(context, { post, comment }, { text, since, taken }) {
    const found = await findItem(context, { text, hasMedia: false, parent: (comment ?? post).id }, { since, taken });
    return found.kind === "found" ? { kind: "found", id: found.post.id } : found;
  },
  remove: (context, id) => remove(context, { id }),
  reading,
};
