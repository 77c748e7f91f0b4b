import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { EXAMPLE_VIEW, toWebhookView, WebhookView } from "../schema.ts";
import { listWebhooks } from "../store.ts";
import { COMMON } from "./common.ts";

export const GetWebhooks = operation({
  ...COMMON,
  id: "getWebhooks",
  method: "get",
  path: "/social/get-webhooks",
  summary: "List webhooks",
  description: "All webhooks of the project, newest first.",
  answer: z.object({ webhooks: z.array(WebhookView), status: Done }),
  answerDescription: "The webhooks.",
  example: { webhooks: [EXAMPLE_VIEW], status: true },
  run: async ({ deps, caller }) => {
    const webhooks = await listWebhooks(deps.db, caller.projectId);
    return { webhooks: webhooks.map((one) => toWebhookView(one)), status: true } as const;
  },
});
