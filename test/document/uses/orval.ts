import type {
  CreateCampaign,
  CreateCommentAutomation,
  CreatePost,
  CreatePostAnswer,
  CreatePostGeneration,
} from "./client";
import { createCampaign, createCommentAutomation, createPost, createPostGeneration, findPost } from "./client";

export const create = (body: CreatePost) => createPost(body, { headers: { Authorization: "Bearer blf_…" } });
export const createBot = (body: CreateCommentAutomation) => createCommentAutomation(body);
export const boost = (body: CreateCampaign) => createCampaign(body);
export const generate = (body: CreatePostGeneration) => createPostGeneration(body);

/** Answers have names. */
export const idOf = (answer: CreatePostAnswer): number => answer.data.post_id;

/** Answers and refusals are typed, and may warn. */
export async function read(): Promise<string> {
  const answer = await findPost("42");
  if (answer.status !== 200) {
    const { message, code, errors = {} } = answer.data;
    return [message, code, ...Object.values(errors).flat()].join(" ");
  }
  const warnings: readonly string[] = answer.data.warnings ?? [];
  return [answer.data.post.STATUS, answer.data.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id in a path is a text.
export const refused = findPost(42);
