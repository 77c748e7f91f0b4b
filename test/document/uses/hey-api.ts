import type {
  CreateCampaign,
  CreateCommentAutomation,
  CreatePost,
  CreatePostAnswer,
  CreatePostGeneration,
} from "./client";
import { createCampaign, createCommentAutomation, createPost, createPostGeneration, findPost } from "./client";

export const create = (body: CreatePost) => createPost({ body, auth: "blf_…" });
export const createBot = (body: CreateCommentAutomation) => createCommentAutomation({ body, auth: "blf_…" });
export const boost = (body: CreateCampaign) => createCampaign({ body, auth: "blf_…" });
export const generate = (body: CreatePostGeneration) => createPostGeneration({ body, auth: "blf_…" });

/** Answers have names. */
export const idOf = (answer: CreatePostAnswer): number => answer.data.post_id;

/** Answers and refusals are typed, and may warn. */
export async function read(): Promise<string> {
  const { data, error } = await findPost({ path: { post_id: "42" } });
  if (error) return [error.message, error.code, ...Object.values(error.errors ?? {}).flat()].join(" ");
  const warnings: readonly string[] = data?.warnings ?? [];
  return [data?.post.STATUS, data?.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id in a path is a text.
export const refused = findPost({ path: { post_id: 42 } });
