import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { changeAutomation } from "../change.ts";
import { AutomationIdParam, UpdateAutomationBody } from "../schema.ts";
import { stateSentence } from "../sentences.ts";
import { findAutomation } from "../store.ts";
import { AutomationView, toView } from "../view-schema.ts";
import { answerSentence, EXAMPLE, READ_AS } from "./common.ts";

export const UpdateCommentAutomation = operation({
  id: "updateCommentAutomation",
  audited: true,
  method: "put",
  path: "/social/update-comment-automation/{id}",
  tag: "Comment automations",
  permission: "create-comment-automation",
  refusal: 401,
  extension: true,
  summary: "Update a comment automation",
  description:
    "Changes the fields that the body has. `status: stopped` stops all answers, delayed ones too; `active` starts it again for comments from then on. Waiting answers use the settings of the moment they are sent.",
  params: AutomationIdParam,
  body: UpdateAutomationBody,
  readAs: READ_AS,
  answer: z.object({ message: z.string(), comment_bot: AutomationView, status: Done }),
  answerDescription: "The updated automation.",
  example: {
    message: "The comment automation is stopped.",
    comment_bot: { ...EXAMPLE, status: "stopped", next_call_time_stamp: "0" },
    status: true,
  },
  run: async (as, { body, params }) => {
    const { deps, caller } = as;
    const id = readPathId("comment automation", params.id);
    const { automation, advice } = await changeAutomation(deps, caller, id, body);
    const found = await findAutomation(deps.db, caller.projectId, id);
    const message = await answerSentence(as, stateSentence(automation), advice);
    const comment_bot = toView(found ?? { ...automation, nextCheckAt: null }, caller.timeZone);
    return { message, comment_bot, status: true } as const;
  },
});
