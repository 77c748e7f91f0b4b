import { z } from "@hono/zod-openapi";
import { walkPage } from "../../http/cursor-page.ts";
import { Done, operation } from "../../http/operation.ts";
import { examplePage, idOfCursor, paginate, reached } from "../../http/page.ts";
import { ListAutomationsQuery } from "../schema.ts";
import { type ListedAutomation, listAutomations, listAutomationsByCursor } from "../store.ts";
import { AutomationPage, toView } from "../view-schema.ts";
import { EXAMPLE } from "./common.ts";

export const GetCommentAutomations = operation({
  id: "getCommentAutomations",
  method: "get",
  path: "/social/get-comment-automations",
  tag: "Comment automations",
  permission: "read-comment-automations",
  refusal: 401,
  summary: "List comment automations",
  description: "Lists the project's comment automations in pages, by `page` or by `cursor`.",
  query: ListAutomationsQuery,
  answer: z.object({ comment_bots: AutomationPage, status: Done }),
  answerDescription: "A page of automations.",
  example: { comment_bots: examplePage("get-comment-automations", EXAMPLE), status: true },
  run: async ({ deps, caller, url, paced }, { query }) => {
    const { limit, page = 1, cursor, sort_by: direction } = query;
    const view = (row: ListedAutomation) => toView(row, caller.timeZone);
    if (cursor !== undefined) {
      const wanted = { limit, direction, after: idOfCursor(cursor) };
      const comment_bots = walkPage(url, await listAutomationsByCursor(deps.db, caller.projectId, wanted), limit, view);
      return { comment_bots, status: true } as const;
    }
    const found = await paced((turn) => listAutomations(deps.db, caller.projectId, { limit, page, direction, turn }));
    const comment_bots = paginate(url, reached(found), view);
    return { comment_bots, status: true } as const;
  },
});
