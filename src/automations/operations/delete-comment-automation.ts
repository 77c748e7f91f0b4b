import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { deleteAutomation } from "../change.ts";
import { AutomationIdParam } from "../schema.ts";
import { deletedSentence } from "../sentences.ts";

export const DeleteCommentAutomation = operation({
  id: "deleteCommentAutomation",
  audited: true,
  method: "delete",
  path: "/social/delete-comment-automation/{id}",
  tag: "Comment automations",
  permission: "delete-comment-automation",
  refusal: 401,
  summary: "Delete a comment automation",
  description:
    "Deletes the automation permanently. It sends no further answer, delayed ones included, and cannot be restored.",
  params: AutomationIdParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "It is gone.",
  example: { message: "The comment automation “Answers about prices” was deleted.", status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("comment automation", params.id);
    const message = deletedSentence(await deleteAutomation(deps, caller, id));
    return { message, status: true } as const;
  },
});
