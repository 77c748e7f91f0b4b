import { z } from "@hono/zod-openapi";
import type { IdempotencyRecord } from "../../db/client.ts";
import { Done, operation } from "../../http/operation.ts";
import { createPost } from "../create/create.ts";
import { createdMessage, recallCreated } from "../create/created.ts";
import { ignoredFields } from "../create/post-kinds.ts";
import { CreatePostBody } from "../schema.ts";

export const CreatePost = operation({
  id: "createPost",
  method: "post",
  path: "/social/create-post",
  tag: "Posts",
  permission: "social-create-post",
  refusal: 401,
  summary: "Create a post",
  description:
    "Publishes a post now, at a given time, in the channel's next free slot (`queued`) or in its very next slot (`share_next`). A `draft` is stored until update-post gives it a mode. Publishing continues after the response: read the final state at `find_post_url`; `include=content` shows the time of a queued post. `warnings` reports a caption that repeats one of the last 24 hours on the channel, and a scheduled time that does not exist because clocks change.",
  idempotent: true,
  quotas: "posts waiting, bytes of text stored",
  body: CreatePostBody,
  answer: z.object({
    message: z.string(),
    data: z.object({
      post_id: z.int(),
      STATUS: z.literal("processing"),
      find_post_url: z.string().openapi({ example: "https://belfry.example/api/v1/social/post/42" }),
    }),
    status: Done,
  }),
  answerDescription: "Accepted.",
  example: {
    message: "The post is being published.",
    data: { post_id: 42, STATUS: "processing", find_post_url: "https://belfry.example/api/v1/social/post/42" },
    status: true,
  },
  run: async ({ deps, caller, origin, once, warn }, { body }) => {
    warn(...ignoredFields(body));
    const create = (record: IdempotencyRecord | null) => createPost(deps, caller, body, record);
    const created = await once(body, create, recallCreated);
    const { id, warnings } = created;
    warn(...warnings);
    const url = `${origin}/api/v1/social/post/${id}`;
    const data = { post_id: id, STATUS: "processing", find_post_url: url } as const;
    return { message: createdMessage(body, created), data, status: true } as const;
  },
});
