import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { AutomationIdParam } from "../schema.ts";
import { findAutomation } from "../store.ts";
import { AutomationView, toView } from "../view-schema.ts";
import { EXAMPLE } from "./common.ts";

export const GetCommentAutomation = operation({
  id: "getCommentAutomation",
  method: "get",
  path: "/social/get-comment-automation/{id}",
  tag: "Comment automations",
  permission: "view-comment-automation",
  refusal: 401,
  summary: "Find a comment automation",
  description: "One comment automation.",
  params: AutomationIdParam,
  answer: z.object({ comment_bot: AutomationView, status: Done }),
  answerDescription: "The automation.",
  example: { comment_bot: EXAMPLE, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("comment automation", params.id);
    const row = await findAutomation(deps.db, caller.projectId, id);
    if (!row) throw absent("comment automation", id);
    return { comment_bot: toView(row, caller.timeZone), status: true } as const;
  },
});
