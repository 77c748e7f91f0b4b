import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openSession } from "../connect/session.ts";
import { absent } from "../core/errors.ts";
import type { Api } from "../http/api.ts";
import { walkPage } from "../http/cursor-page.ts";
import type { AppEnv } from "../http/environment.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin, apiUrl } from "../http/origin.ts";
import { readPaced } from "../http/paced-page.ts";
import { examplePage, idOfCursor, paginate, reached, readPathId } from "../http/page.ts";
import { type Advice, warningSentence } from "./advice.ts";
import { changeAutomation, deleteAutomation } from "./change.ts";
import { createAutomation, findCreatedAutomation } from "./create.ts";
import { AutomationIdParam, CreateAutomationBody, ListAutomationsQuery, UpdateAutomationBody } from "./schema.ts";
import { deletedSentence, stateSentence } from "./sentences.ts";
import { findAutomation, type ListedAutomation, listAutomations, listAutomationsByCursor } from "./store.ts";
import {
  AutomationPage,
  AutomationView,
  CreatedAutomationView,
  EXAMPLE_AUTOMATION,
  EXAMPLE_CREATED,
  toCreatedView,
  toView,
} from "./view-schema.ts";

const Done = z.literal(true);
const EXAMPLE = { ...EXAMPLE_AUTOMATION, channels: [12], triggers: ["price", "how much"], response: exampleResponse() };

function exampleResponse() {
  const { comment_responses, dm_responses } = EXAMPLE_AUTOMATION.response;
  return { comment_responses: [...comment_responses], dm_responses };
}

/** Fields that reads name as the specification does, with their names in requests. */
const READ_AS = {
  reply_frequency: "frequency",
  triggers: "keywords",
  response: "comment_reply` and `direct_message",
} as const;

/** Spec 4.8 to 4.11, and the update beside them. */
export function automationRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "createCommentAutomation",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const body = c.req.valid("json");
      const { automation, advice } = await idempotently(
        c,
        body,
        (idempotency) => createAutomation(deps, caller, body, idempotency),
        async (stored) => {
          const made = await findCreatedAutomation(deps, caller, stored);
          if (!made) throw absent("comment automation", stored);
          return made;
        },
      );
      const message = await answerSentence(c, stateSentence(automation), advice);
      return c.json({ message, comment_bot: toCreatedView(automation, caller.timeZone), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const { limit, page = 1, cursor, sort_by: direction } = c.req.valid("query");
      const view = (row: ListedAutomation) => toView(row, caller.timeZone);
      if (cursor !== undefined) {
        const wanted = { limit, direction, after: idOfCursor(cursor) };
        const comment_bots = walkPage(
          apiUrl(c),
          await listAutomationsByCursor(deps.db, caller.projectId, wanted),
          limit,
          view,
        );
        return c.json({ comment_bots, status: true } as const, 200);
      }
      const found = await readPaced(c, (turn) =>
        listAutomations(deps.db, caller.projectId, { limit, page, direction, turn }),
      );
      const comment_bots = paginate(apiUrl(c), reached(found), view);
      return c.json({ comment_bots, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("comment automation", c.req.valid("param").id);
      const row = await findAutomation(deps.db, caller.projectId, id);
      if (!row) throw absent("comment automation", id);
      return c.json({ comment_bot: toView(row, caller.timeZone), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "updateCommentAutomation",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("comment automation", c.req.valid("param").id);
      const { automation, advice } = await changeAutomation(deps, caller, id, c.req.valid("json"));
      const found = await findAutomation(deps.db, caller.projectId, id);
      const message = await answerSentence(c, stateSentence(automation), advice);
      const comment_bot = toView(found ?? { ...automation, nextCheckAt: null }, caller.timeZone);
      return c.json({ message, comment_bot, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "deleteCommentAutomation",
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
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = readPathId("comment automation", c.req.valid("param").id);
      const message = deletedSentence(await deleteAutomation(deps, caller, id));
      return c.json({ message, status: true } as const, 200);
    },
  );
}

/**
 * The answer's `message`: what was done, the warnings, and a connect link for each account owner who has to
 * connect again.
 */
async function answerSentence(c: Context<AppEnv>, done: string, { warnings, toReconnect }: Advice): Promise<string> {
  const { deps, caller } = c.var;
  const byPerson = Map.groupBy(toReconnect, ({ userRef }) => userRef);
  const links = await Promise.all(
    [...byPerson].map(async ([userId, channels]) => {
      const { token, secondsLeft } = await openSession(deps, caller, { userId }, null);
      const words = channels.map(({ sentence }) => sentence).join(" ");
      return `${words} Within ${Math.round(secondsLeft / 60)} minutes here: ${apiOrigin(c)}/connect/${token}`;
    }),
  );
  return [done, ...warnings.map(warningSentence), ...links].join(" ");
}
