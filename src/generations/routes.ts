import { z } from "@hono/zod-openapi";
import { absent } from "../core/errors.ts";
import { isNear, REACH } from "../core/page.ts";
import { isoUtc } from "../core/time.ts";
import type { Api } from "../http/api.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin, apiUrl } from "../http/origin.ts";
import { readPaced } from "../http/paced-page.ts";
import { idOfCursor, tooFar } from "../http/page.ts";
import { createGeneration } from "./create.ts";
import { deleteGeneration } from "./remove.ts";
import {
  CreatedView,
  CreateGenerationBody,
  EXAMPLE_CREATED,
  EXAMPLE_DETAIL,
  EXAMPLE_LISTED,
  GenerationContentView,
  GenerationDetailView,
  GenerationIdParam,
  GenerationView,
  ListGenerationsQuery,
  readUuid,
  toContentView,
  toCreatedView,
  toView,
  toWanted,
  toWebHookView,
} from "./schema.ts";
import { listGenerations, readLastShown } from "./store.ts";

const COMMON = { tag: "Generation", permission: "social-post-generation" } as const;
const Done = z.literal(true);
const MAX_EVENTS = 200;

/** Spec 4.12 to 4.14, and the extension that returns one generation with its timeline. */
export function generationRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "createPostGeneration",
      method: "post",
      path: "/social/create-post-generation",
      summary: "Generate a post",
      description:
        "Generates a post (text, image, banner or video) from a topic with the configured models. It is `queued`, then `done` or `failed` with the reason: after some seconds for text and images, some minutes for videos. Use its `caption_text` and `media_urls` in create-post to publish it.",
      idempotent: true,
      quotas: "generations per day, stored bytes of files",
      body: CreateGenerationBody,
      answer: CreatedView,
      answerDescription: "It was accepted.",
      example: { ...EXAMPLE_CREATED, request_body: { ...EXAMPLE_CREATED.request_body } },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const body = c.req.valid("json");
      const wanted = { ...toWanted(body), origin: apiOrigin(c) };
      const id = await idempotently(
        c,
        body,
        (idempotency) => createGeneration(deps, caller, wanted, idempotency),
        (stored) => stored,
      );
      return c.json(toCreatedView(id, body), 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getPostGenerations",
      method: "get",
      path: "/social/get-post-generations",
      permission: "any",
      summary: "List generated posts",
      description:
        'The newest first: the latest 100, or a page of them. `caption_text` and `media_urls` are empty until a generation is done. A `Link` header (`rel="next"`) names the next page if there is one.',
      query: ListGenerationsQuery,
      answer: z.object({ post_generations: z.array(z.union([GenerationContentView, GenerationView])) }),
      answerDescription: "The generations.",
      example: { post_generations: [EXAMPLE_LISTED] },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const { page = 1, cursor = "", limit, include } = c.req.valid("query");
      const skip = (page - 1) * limit;
      if (skip >= REACH) throw tooFar();
      const requested = { limit, skip, after: idOfCursor(cursor) };
      const { items, next } = await readPaced(c, async (turn) => {
        if (!isNear({ page, limit })) await turn(skip);
        return listGenerations(deps.db, caller.projectId, requested);
      });
      const origin = apiOrigin(c);
      const view = include === undefined ? toView : toContentView;
      if (next !== null) {
        const address = apiUrl(c);
        const hasNumber = cursor === "" && skip + limit < REACH;
        address.searchParams.delete(hasNumber ? "cursor" : "page");
        address.searchParams.set(hasNumber ? "page" : "cursor", String(hasNumber ? page + 1 : next));
        c.header("Link", `<${address.href}>; rel="next"`);
      }
      return c.json({ post_generations: items.map((row) => view(row, origin)) }, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getPostGeneration",
      method: "get",
      path: "/social/post-generation/{post_id}",
      extension: true,
      summary: "Find a generated post",
      description:
        "Returns one generation: its request, its result, its timeline, and the deliveries to its `web_hook`.",
      params: GenerationIdParam,
      answer: z.object({ post_generation: GenerationDetailView, status: Done }),
      answerDescription: "The generation.",
      example: { post_generation: EXAMPLE_DETAIL, status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const id = getUuid(c.req.valid("param").post_id);
      const shown = await readLastShown(deps.db, caller.projectId, id, MAX_EVENTS);
      if (!shown) throw absent("generation", id);
      const { generation, events, message } = shown;
      const post_generation = {
        ...toContentView(generation, apiOrigin(c)),
        events: events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) })),
        web_hook_delivery: message ? toWebHookView(message) : null,
      };
      return c.json({ post_generation, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "deletePostGeneration",
      method: "delete",
      path: "/social/delete-post-generation/{post_id}",
      summary: "Delete a generated post",
      description:
        "Deletes the generation and its media at once, unless a post uses the media. A generation in progress stops. Published posts stay.",
      params: GenerationIdParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "It is gone.",
      example: { message: "The generated post was deleted.", status: true },
    }),
    async (c) => {
      await deleteGeneration(c.var.deps, c.var.caller, getUuid(c.req.valid("param").post_id));
      return c.json({ message: "The generated post was deleted.", status: true } as const, 200);
    },
  );
}

function getUuid(words: string): string {
  const uuid = readUuid(words);
  if (uuid === null) throw absent("generation", words);
  return uuid;
}
