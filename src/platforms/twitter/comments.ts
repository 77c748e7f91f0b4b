import type { Commenting } from "../commenting.ts";
import { findItem } from "./find.ts";
import { createItem, LIST_LAG_SECONDS, remove } from "./posts.ts";
import { postText } from "./text.ts";

/**
 * A comment at X is a post of its own in reply to the account's post (under a thread: to its first item). It outlives the post
 * that it answers. X lets everybody answer their own posts.
 */
export const comments: Commenting = {
  types: ["post", "tweet", "thread"],
  text: postText,
  lagSeconds: LIST_LAG_SECONDS,
  allowance: "publish",
  // Half of what an account may post in that time: posts need the rest.
  pace: { most: 50, perSeconds: 15 * 60, scope: "account" },
  async create(context, { post }, text) {
    const outcome = await createItem(context, { text, media_ids: [], parent: post });
    return outcome.kind === "published" ? { kind: "published", id: outcome.post.id } : outcome;
  },
  async find(context, { post }, { text, since, taken }) {
    const found = await findItem(context, { text, hasMedia: false, parent: post.id }, { since, taken });
    return found.kind === "found" ? { kind: "found", id: found.post.id } : found;
  },
  remove: (context, id) => remove(context, { id }),
};
