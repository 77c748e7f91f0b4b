import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { ExplanationView, explain } from "../lists/explanation.ts";
import { PostIdParam } from "../schema.ts";
import { readTimeline } from "../timelines/timeline.ts";

export const ExplainPost = operation({
  id: "explainPost",
  method: "get",
  path: "/social/explain-post/{post_id}",
  tag: "Posts",
  permission: "social-view-post",
  extension: true,
  summary: "Explain a post",
  description:
    "What happened to the post, why, what to do, and whether it is safe to post the same again, in plain sentences. A deleted post is explained for as long as its timeline is kept.",
  params: PostIdParam,
  answer: z.object({ explanation: ExplanationView, status: Done }),
  answerDescription: "The explanation.",
  example: {
    explanation: {
      post_id: 42,
      STATUS: "failed",
      what_happened: "The post was sent to the platform, but it is unknown whether it is live.",
      why: "The platform did not answer, and its lists do not show whether the post is live.",
      what_to_do: "Check the channel. Post again only if the post is not live.",
      post_again: "Do not post again before you have checked the channel: the post, or a part of it, may be live.",
      again: "look_first",
      error_code: "may_be_published",
      docs_url: "https://belfry.example/docs/errors#may_be_published",
    },
    status: true,
  },
  run: async ({ deps, caller, origin }, { params }) => {
    const id = readPathId("post", params.post_id);
    const found = await readTimeline(deps, caller.projectId, id);
    if (!found) throw absent("post", id);
    const explanation = explain(found.post, found.events, origin);
    return { explanation, status: true } as const;
  },
});
