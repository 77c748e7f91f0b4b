import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { listWaiting } from "../approval/waiting.ts";
import { PostContentView, toContentView } from "../content/content-view.ts";
import { UpcomingQuery } from "../schema.ts";

export const GetApprovals = operation({
  id: "getApprovals",
  method: "get",
  path: "/social/get-approvals",
  tag: "Approval",
  permission: "social-read-posts",
  permits: "to read posts",
  extension: true,
  summary: "Posts that wait for approval",
  description: "With their content and `approval`, the oldest first.",
  query: UpcomingQuery,
  answer: z.object({ posts: z.array(PostContentView), status: Done }),
  answerDescription: "The posts.",
  example: { posts: [], status: true },
  run: async ({ deps, caller, origin }, { query }) => {
    const rows = await listWaiting(deps.db, caller.projectId, query.limit);
    const shows = { caller, origin: origin, sandboxUrl: deps.config.sandboxUrl };
    return { posts: rows.map((row) => toContentView(row, shows)), status: true } as const;
  },
});
