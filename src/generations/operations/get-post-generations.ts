import { z } from "@hono/zod-openapi";
import { isNear, REACH } from "../../core/page.ts";
import { operation } from "../../http/operation.ts";
import { idOfCursor, tooFar } from "../../http/page.ts";
import {
  EXAMPLE_LISTED,
  GenerationContentView,
  GenerationView,
  ListGenerationsQuery,
  toContentView,
  toView,
} from "../schema.ts";
import { listGenerations } from "../store.ts";
import { COMMON } from "./common.ts";

export const GetPostGenerations = operation({
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
  run: async (as, { query }) => {
    const { deps, caller, origin, paced } = as;
    const { page = 1, cursor = "", limit, include } = query;
    const skip = (page - 1) * limit;
    if (skip >= REACH) throw tooFar();
    const requested = { limit, skip, after: idOfCursor(cursor) };
    const { items, next } = await paced(async (turn) => {
      if (!isNear({ page, limit })) await turn(skip);
      return listGenerations(deps.db, caller.projectId, requested);
    });
    const view = include === undefined ? toView : toContentView;
    if (next !== null) {
      const address = as.url;
      const hasNumber = cursor === "" && skip + limit < REACH;
      address.searchParams.delete(hasNumber ? "cursor" : "page");
      address.searchParams.set(hasNumber ? "page" : "cursor", String(hasNumber ? page + 1 : next));
      as.linkNext(address);
    }
    return { post_generations: items.map((row) => view(row, origin)) };
  },
});
