import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { replayWindow } from "../replay.ts";
import { ReplayBody, WebhookParam } from "../schema.ts";
import { replaySentence } from "../sentences.ts";
import { COMMON } from "./common.ts";

export const ReplayWebhook = operation({
  ...COMMON,
  id: "replayWebhook",
  audited: true,
  method: "post",
  path: "/social/replay-webhook/{webhook_id}",
  summary: "Replay deliveries of a time range",
  description:
    "Sends the events of a time range again that match the webhook's types, with the same ids, including events that it missed while it was disabled. Events are kept for 180 days. One call sends up to 2,000; continue with `next_cursor`.",
  params: WebhookParam,
  body: ReplayBody,
  answer: z.object({ message: z.string(), replayed: z.int(), next_cursor: z.string().nullable(), status: Done }),
  answerDescription: "The number of messages that are sent again.",
  example: { message: "12 messages are sent again.", replayed: 12, next_cursor: null, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("webhook", params.webhook_id);
    const { from, to = Number.MAX_SAFE_INTEGER, cursor } = body;
    const after = cursor === undefined ? 0 : Number(cursor);
    const { count, next } = await replayWindow(deps, caller, id, { from, to, after });
    const message = replaySentence(count);
    const next_cursor = next === null ? null : String(next);
    return { message, replayed: count, next_cursor, status: true } as const;
  },
});
