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
  const { data, error } = await client.GET("/social/post/{post_id}", { params: { path: { post_id: 42 } } });
  if (error) return [error.message, error.code, ...Object.values(error.errors ?? {}).flat()].join(" ");
  const warnings: readonly string[] = data.warnings ?? [];
  return [data.post.STATUS, data.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id is a number.
export const refused = client.GET("/social/post/{post_id}", { params: { path: { post_id: "42" } } });
