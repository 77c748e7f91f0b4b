import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { FoundPostView, toFoundView } from "../content/content-view.ts";
import { FindPostQuery, PostIdParam } from "../schema.ts";
import { findPost, findPostWithContent } from "../store.ts";
import { EXAMPLE_POST, PostView, toPostView } from "../view-schema.ts";

export const FindPost = operation({
  id: "findPost",
  method: "get",
  path: "/social/post/{post_id}",
  tag: "Posts",
  permission: "social-view-post",
  summary: "Find a post",
  description:
    "The state of one post, with `permalink` if it is published and `error`, `error_code` and what to do about it if it failed. `include=content` also returns its content, and what it has cost so far.",
  params: PostIdParam,
  query: FindPostQuery,
  answer: z.object({ post: z.union([FoundPostView, PostView]), status: Done }),
  answerDescription: "The post.",
  example: {
    post: EXAMPLE_POST,
    status: true,
  },
  run: async ({ deps, caller, origin }, { query, params }) => {
    const id = readPathId("post", params.post_id);
    if (query.include === undefined) {
      const post = await findPost(deps, caller.projectId, id);
      if (!post) throw absent("post", id);
      return { post: toPostView(post, origin), status: true } as const;
    }
    const found = await findPostWithContent(deps, caller.projectId, id);
    if (!found) throw absent("post", id);
    const view = toFoundView(found, { caller, origin: origin, sandboxUrl: deps.config.sandboxUrl });
    return { post: view, status: true } as const;
  },
});
