import type { CreatePost } from "./client";
import { createPost, findPost } from "./client";

export const create = (body: CreatePost) => createPost({ body, auth: "blf_…" });

/** Answers and refusals are typed, and may warn. */
export async function read(): Promise<string> {
  const { data, error } = await findPost({ path: { post_id: 42 } });
  if (error) return [error.message, error.code, ...Object.values(error.errors ?? {}).flat()].join(" ");
  const warnings: readonly string[] = data?.warnings ?? [];
  return [data?.post.STATUS, data?.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id is a number.
export const refused = findPost({ path: { post_id: "42" } });
