import createClient from "openapi-fetch";
import type { components, paths } from "./client";

const client = createClient<paths>({ baseUrl: "https://belfry.example/api/v1" });
export const create = (body: components["schemas"]["CreatePost"]) => client.POST("/social/create-post", { body });
type Schemas = components["schemas"];
export const createBot = (body: Schemas["CreateCommentAutomation"]) =>
  client.POST("/social/create-comment-automation", { body });
export const boost = (body: Schemas["CreateCampaign"]) => client.POST("/boost-campaigns/create-campaign", { body });
export const generate = (body: Schemas["CreatePostGeneration"]) =>
  client.POST("/social/create-post-generation", { body });

/** Answers have names. */
export const idOf = (answer: Schemas["CreatePostAnswer"]): number => answer.data.post_id;

/** Answers and refusals are typed, and may warn. */
export async function read(): Promise<string> {
  const { data, error } = await client.GET("/social/post/{post_id}", { params: { path: { post_id: "42" } } });
  if (error) return [error.message, error.code, ...Object.values(error.errors ?? {}).flat()].join(" ");
  const warnings: readonly string[] = data.warnings ?? [];
  return [data.post.STATUS, data.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id in a path is a text, as the specification says.
export const refused = client.GET("/social/post/{post_id}", { params: { path: { post_id: 42 } } });
export const remove = (postId: string) =>
  client.DELETE("/social/delete-post/{postId}", { params: { path: { postId } } });

/** The lists of the specification are one type: each key can be read without asking which it is. */
export async function totals(): Promise<readonly (number | undefined)[]> {
  const query = { channels: "facebook" };
  const posts = await client.GET("/social/get-posts", { params: { query } });
  const bots = await client.GET("/social/get-comment-automations");
  const campaigns = await client.GET("/boost-campaigns/get-campaigns");
  return [posts.data?.posts.total, bots.data?.comment_bots.total, campaigns.data?.campaigns.total];
}
/** The cursor form is its optional keys. */
export const nextOf = (answer: Schemas["GetPostsAnswer"]): string | null | undefined => answer.posts.next_cursor;

/** What a read returns can be sent back. */
export function copyOf(post: Schemas["PostWithContent"]): Schemas["UpdatePost"] {
  const { caption_text, schedule_time, hash_tags, time_zone, publish_mode } = post;
  return {
    hash_tags,
    time_zone,
    publish_mode,
    ...(caption_text === null ? {} : { caption_text }),
    ...(schedule_time === null ? {} : { schedule_time }),
  };
}
