import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { Done, operation } from "../../http/operation.ts";
import { createAutomation, findCreatedAutomation } from "../create.ts";
import { CreateAutomationBody } from "../schema.ts";
import { stateSentence } from "../sentences.ts";
import { CreatedAutomationView, EXAMPLE_CREATED, toCreatedView } from "../view-schema.ts";
import { answerSentence, exampleResponse, READ_AS } from "./common.ts";

export const CreateCommentAutomation = operation({
  id: "createCommentAutomation",
  audited: true,
  method: "post",
  path: "/social/create-comment-automation",
  tag: "Comment automations",
  permission: "create-comment-automation",
  refusal: 401,
  summary: "Create a comment automation",
  description:
    "Creates a bot that answers comments on posts: publicly, by direct message, or both. It is active at once, and answers comments from now on. `message` names the channels that support only a part of it, and has a link to reconnect those that lack a permission.",
  idempotent: true,
  body: CreateAutomationBody,
  readAs: READ_AS,
  answer: z.object({ message: z.string(), comment_bot: CreatedAutomationView, status: Done }),
  answerDescription: "The automation, active.",
  example: {
    message: "The comment automation is active.",
    comment_bot: { ...EXAMPLE_CREATED, channels: [12], response: exampleResponse() },
    status: true,
  },
  run: async (as, { body }) => {
    const { deps, caller, once } = as;
    const { automation, advice } = await once(
      body,
      (idempotency) => createAutomation(deps, caller, body, idempotency),
      async (stored) => {
        const made = await findCreatedAutomation(deps, caller, stored);
        if (!made) throw absent("comment automation", stored);
        return made;
      },
    );
    const message = await answerSentence(as, stateSentence(automation), advice);
    return { message, comment_bot: toCreatedView(automation, caller.timeZone), status: true } as const;
  },
});
