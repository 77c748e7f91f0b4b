import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { postAgain } from "../create/again.ts";
import { recallCreated } from "../create/created.ts";
import { PostIdParam } from "../schema.ts";

export const RetryPost = operation({
  id: "retryPost",
  method: "post",
  path: "/social/retry-post/{post_id}",
  tag: "Posts",
  permission: "social-create-post",
  extension: true,
  summary: "Retry a failed post",
  description:
    "Publishes the content of a failed post once more, at once, as a new post: `post_id` is its id, and the failed post stays as it is. A failed post is retried at most once, whatever the number of requests; the new post can fail and be retried in turn. Refused for a post that may be live (`again` is `look_first`: look at the channel, then use create-post), that has live items, that did not fail, or that was retried or dismissed before, and for whatever create-post refuses, such as a channel that has to be connected again.",
  idempotent: true,
  quotas: "posts waiting, bytes of text stored",
  params: PostIdParam,
  answer: z.object({
    message: z.string(),
    data: z.object({
      post_id: z.int().openapi({ description: "The new post." }),
      retry_of: z.int().openapi({ description: "The failed post." }),
      STATUS: z.literal("processing"),
      find_post_url: z.string().openapi({ example: "https://belfry.example/api/v1/social/post/43" }),
    }),
    status: Done,
  }),
  answerDescription: "Accepted.",
  refusedByState: "Post 42 may be live. Check the channel first, and confirm that it is not.",
  example: {
    message: "Post 42 is being published again, as post 43.",
    data: {
      post_id: 43,
      retry_of: 42,
      STATUS: "processing",
      find_post_url: "https://belfry.example/api/v1/social/post/43",
    },
    status: true,
  },
  run: async ({ deps, caller, origin, once, warn }, { params }) => {
    const failed = readPathId("post", params.post_id);
    const { id, warnings } = await once(
      { post: failed },
      (record) => postAgain(deps, caller, failed, { mode: "now", isChecked: false, record: record ?? undefined }),
      recallCreated,
    );
    warn(...warnings);
    const find_post_url = `${origin}/api/v1/social/post/${id}`;
    const data = { post_id: id, retry_of: failed, STATUS: "processing", find_post_url } as const;
    return { message: `Post ${failed} is being published again, as post ${id}.`, data, status: true } as const;
  },
});
