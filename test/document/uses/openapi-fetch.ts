import createClient from "openapi-fetch";
import type { components, paths } from "./client";

const client = createClient<paths>({ baseUrl: "https://belfry.example/api/v1" });
export const create = (body: components["schemas"]["CreatePost"]) => client.POST("/social/create-post", { body });

/** Answers and refusals are typed, and may warn. */
export async function read(): Promise<string> {
  const { data, error } = await client.GET("/social/post/{post_id}", { params: { path: { post_id: 42 } } });
  if (error) return [error.message, error.code, ...Object.values(error.errors ?? {}).flat()].join(" ");
  const warnings: readonly string[] = data.warnings ?? [];
  return [data.post.STATUS, data.post.permalink ?? "", ...warnings].join(" ");
}

// @ts-expect-error An id is a number.
export const refused = client.GET("/social/post/{post_id}", { params: { path: { post_id: "42" } } });
