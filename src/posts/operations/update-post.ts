import { z } from "@hono/zod-openapi";
import { listWords } from "../../core/text.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { updatePost } from "../change/update.ts";
import { PostIdParam, UpdatePostBody } from "../schema.ts";
import { PostView, toPostView } from "../view-schema.ts";

export const UpdatePost = operation({
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
  run: async ({ deps, caller, origin, warn }, { body, params }) => {
    const id = readPathId("post", params.post_id);
    const { post, warnings, ...updated } = await updatePost(deps, caller, id, body);
    warn(...warnings.map(({ message }) => message));
    const changed = [...updated.changed];
    const view = toPostView(post, origin);
    const message =
      changed.length === 0
        ? `Nothing was changed: post ${id} already has these values.`
        : `Changed ${listWords(changed)} of post ${id}, which is ${view.STATUS}.`;
    return { message, post: view, changed, status: true } as const;
  },
});
