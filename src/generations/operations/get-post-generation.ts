import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { EXAMPLE_DETAIL, GenerationDetailView, GenerationIdParam, toContentView, toWebHookView } from "../schema.ts";
import { readLastShown } from "../store.ts";
import { COMMON, getUuid } from "./common.ts";

const MAX_EVENTS = 200;

export const GetPostGeneration = operation({
  ...COMMON,
  id: "getPostGeneration",
  method: "get",
  path: "/social/get-post-generation/{post_id}",
  extension: true,
  summary: "Find a generated post",
  description: "Returns one generation: its request, its result, its timeline, and the deliveries to its `web_hook`.",
  params: GenerationIdParam,
  answer: z.object({ post_generation: GenerationDetailView, status: Done }),
  answerDescription: "The generation.",
  example: { post_generation: EXAMPLE_DETAIL, status: true },
  run: async ({ deps, caller, origin }, { params }) => {
    const id = getUuid(params.post_id);
    const shown = await readLastShown(deps.db, caller.projectId, id, MAX_EVENTS);
    if (!shown) throw absent("generation", id);
    const { generation, events, message } = shown;
    const post_generation = {
      ...toContentView(generation, origin),
      events: events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) })),
      web_hook_delivery: message ? toWebHookView(message) : null,
    };
    return { post_generation, status: true } as const;
  },
});
