import { z } from "@hono/zod-openapi";
import { listWords } from "../../core/text.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import type { Api } from "../../http/api.ts";
import { idempotently } from "../../http/idempotency.ts";
import { operation } from "../../http/operation.ts";
import { apiOrigin } from "../../http/origin.ts";
import { readPathId } from "../../http/page.ts";
import { warn } from "../../http/warnings.ts";
import { updatePost } from "../change/update.ts";
import { deletePost, type GoesWithPost } from "../delete/remove.ts";
import { CreatePostBody, DeletePostParam, PostIdParam, UpdatePostBody } from "../schema.ts";
import { PostView, toPostView } from "../view-schema.ts";
import { createPost } from "./create.ts";
import { createdMessage, recallCreated } from "./created.ts";
import { documentedPost } from "./documented-post.ts";
import { ignoredFields } from "./post-kinds.ts";
import { validatePost } from "./validate.ts";
import { toValidatedView, VALIDATED_EXAMPLE, VALIDATED_VIEW } from "./validated-view.ts";

const Done = z.literal(true);

/** Spec 4.4 and 4.6, and the extensions that change or check a post. */
export function postWriteRoutes(app: Api, goesWithPost: readonly GoesWithPost[]): void {
  for (const [name, branch] of documentedPost()) app.openAPIRegistry.register(name, branch);

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const body = c.req.valid("json");
      const { deps, caller } = c.var;
      warn(c, ...ignoredFields(body));
      const create = (record: IdempotencyRecord | null) => createPost(deps, caller, body, record);
      const created = await idempotently(c, body, create, recallCreated);
      const { id, warnings } = created;
      warn(c, ...warnings);
      const url = `${apiOrigin(c)}/api/v1/social/post/${id}`;
      const data = { post_id: id, STATUS: "processing", find_post_url: url } as const;
      return c.json({ message: createdMessage(body, created), data, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "updatePost",
      method: "put",
      path: "/social/update-post/{post_id}",
      tag: "Posts",
      permission: ["social-create-post", "social-propose-post"],
      extension: true,
      summary: "Update a post",
      description:
        "Changes the given fields of a draft, scheduled or queued post. With `publish_mode` the post is published as if it had been created with that mode; `draft` makes it a draft again. A queued post that gets a `schedule_time` leaves the queue. A token with only social-propose-post changes the content of drafts. `changed` lists the changed fields; the timeline has their old and new values.",
      params: PostIdParam,
      quotas: "bytes of text stored",
      body: UpdatePostBody,
      answer: z.object({ message: z.string(), post: PostView, changed: z.array(z.string()), status: Done }),
      answerDescription: "The changed post.",
      example: {
        message: "Changed caption_text and schedule_time of post 43, which is scheduled.",
        post: { post_id: 43, channel_type: "twitter", channel_id: "13", STATUS: "scheduled" },
        changed: ["caption_text", "schedule_time"],
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { post, warnings, ...updated } = await updatePost(c.var.deps, c.var.caller, id, c.req.valid("json"));
      warn(c, ...warnings.map(({ message }) => message));
      const changed = [...updated.changed];
      const view = toPostView(post, apiOrigin(c));
      const message =
        changed.length === 0
          ? `Nothing was changed: post ${id} already has these values.`
          : `Changed ${listWords(changed)} of post ${id}, which is ${view.STATUS}.`;
      return c.json({ message, post: view, changed, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "validatePost",
      method: "post",
      path: "/social/validate-post",
      tag: "Posts",
      permission: ["social-create-post", "social-propose-post"],
      extension: true,
      summary: "Check a post without creating it",
      description:
        "Runs all checks of create-post, including checks of media files for up to about 15 seconds. A post that would fail returns a 422 with the reason.",
      quotas: "concurrent requests that check media",
      body: CreatePostBody,
      answer: z.object({
        message: z.string(),
        valid: z.literal(true),
        ...VALIDATED_VIEW,
        status: Done,
      }),
      answerDescription: "What would be published.",
      example: {
        message: "The post can be published.",
        valid: true,
        ...VALIDATED_EXAMPLE,
        status: true,
      },
    }),
    async (c) => {
      const body = c.req.valid("json");
      warn(c, ...ignoredFields(body));
      const found = await validatePost(c.var.deps, c.var.caller, body);
      warn(c, ...found.warnings.map(({ message }) => message));
      const message = "The post can be published.";
      return c.json({ message, valid: true, ...toValidatedView(found), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "deletePost",
      method: "delete",
      path: "/social/delete-post/{postId}",
      tag: "Posts",
      permission: "social-delete-post",
      summary: "Delete a post",
      description:
        "Deletes the post here at once. Live items are also deleted at the platform if it has a call for that. The post's boost campaigns are ended. `message` reports the state that the post had, and what happens to its live items.",
      params: DeletePostParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "Deletion is initiated.",
      example: {
        message: "Post deletion has been initiated: post 42, which was published, is being deleted at facebook.",
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").postId);
      const message = await deletePost(c.var.deps, c.var.caller, id, goesWithPost);
      return c.json({ message, status: true } as const, 200);
    },
  );
}
