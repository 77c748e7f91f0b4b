import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { proposePost, tokenName } from "../approval/request-approval.ts";
import { recallCreated } from "../create/created.ts";
import { ignoredFields } from "../create/post-kinds.ts";
import { CreatePostBody } from "../schema.ts";

export const ProposePost = operation({
  id: "proposePost",
  method: "post",
  path: "/social/propose-post",
  tag: "Approval",
  permission: ["social-propose-post", "social-create-post"],
  extension: true,
  summary: "Propose a post",
  description:
    "Takes the body of create-post, with all of its checks, and stores the post as a draft that waits for approval. It is published as the body says once approve-post approves it, and never before.",
  idempotent: true,
  quotas: "posts waiting, bytes of text stored",
  body: CreatePostBody,
  answer: z.object({
    message: z.string(),
    data: z.object({
      post_id: z.int(),
      STATUS: z.literal("draft"),
      find_post_url: z.string().openapi({ example: "https://belfry.example/api/v1/social/post/42" }),
    }),
    status: Done,
  }),
  answerDescription: "The post waits.",
  example: {
    message: "The post waits for approval.",
    data: { post_id: 42, STATUS: "draft", find_post_url: "https://belfry.example/api/v1/social/post/42" },
    status: true,
  },
  run: async ({ deps, caller, origin, once, warn }, { body }) => {
    warn(...ignoredFields(body));
    const { id, warnings } = await once(
      body,
      (idempotency) => proposePost(deps, caller, body, { idempotency, by: tokenName(caller) }),
      recallCreated,
    );
    warn(...warnings);
    const data = { post_id: id, STATUS: "draft", find_post_url: `${origin}/api/v1/social/post/${id}` } as const;
    return { message: "The post waits for approval.", data, status: true } as const;
  },
});
