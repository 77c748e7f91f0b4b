import { z } from "@hono/zod-openapi";
import { adviceOn } from "../../core/advice.ts";
import { AppError } from "../../core/errors.ts";
import { plural } from "../../core/text.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import type { Api } from "../../http/api.ts";
import { idempotently } from "../../http/idempotency.ts";
import { operation } from "../../http/operation.ts";
import { apiOrigin } from "../../http/origin.ts";
import { createdMessage } from "../create/created.ts";
import { validateTogether } from "../create/validate.ts";
import { toValidatedView, VALIDATED_EXAMPLE, VALIDATED_VIEW } from "../create/validated-view.ts";
import { createMany, isCreated, type Outcome, type Refusal, recallMany, toRefusal } from "./create-many.ts";
import { type Item, readItems } from "./item-schema.ts";
import {
  CreatedView,
  CreatePostsBody,
  POST_FIELDS,
  PostFields,
  RefusedView,
  ResultView,
  ValidatePostsBody,
} from "./many-schema.ts";

const ValidView = z
  .object({
    index: CreatedView.shape.index,
    status: z.literal(true),
    ...VALIDATED_VIEW,
    warnings: CreatedView.shape.warnings,
  })
  .openapi("ValidOfMany");

/** The extension for many posts at once. */
export function manyRoutes(app: Api): void {
  app.openAPIRegistry.register(POST_FIELDS, PostFields);

  app.openapi(
    operation({
      id: "createPosts",
      method: "post",
      path: "/social/create-posts",
      tag: "Posts",
      permission: "social-create-post",
      extension: true,
      summary: "Create up to 100 posts",
      description:
        "Creates posts as create-post does, in their order and in one transaction: all checks run before any post is created. `defaults` gives one text to several channels; a post's own fields replace it. `all_or_nothing` refuses all with one 422 whose `errors` name the post (`posts.3.caption_text`). `each` returns a result per post: what create-post would have returned. A queued post takes the slot after those of the posts before it. `long_text` makes a thread of a text that is too long for one of the channels.",
      idempotent: true,
      quotas: "posts waiting, bytes of text stored",
      body: CreatePostsBody,
      answer: z.object({
        message: z.string(),
        created: z.int(),
        refused: z.int(),
        results: z.array(ResultView),
        status: z.literal(true),
      }),
      answerDescription: "The result of each post, in the order of `posts`.",
      example: {
        message: "1 post was created.",
        created: 1,
        refused: 0,
        results: [
          {
            index: 0,
            status: true,
            message: "The post is in the channel's queue. Its slot is 2030-03-05 09:00 (Europe/Berlin).",
            data: { post_id: 42, STATUS: "processing", find_post_url: "https://belfry.example/api/v1/social/post/42" },
          },
        ],
        status: true,
      },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const { deps, caller } = c.var;
      const { mode = "all_or_nothing", long_text: longText = "refuse", defaults = {}, posts } = body;
      const items = readItems(defaults, posts);
      const create = (record: IdempotencyRecord | null) => createMany(deps, caller, { items, mode, longText }, record);
      const outcomes = await idempotently(c, body, create, recallMany);
      const origin = apiOrigin(c);
      const results = outcomes.map((outcome, index) => toResult({ outcome, index, item: items[index], origin }));
      const created = outcomes.filter(isCreated).length;
      const refused = outcomes.length - created;
      const message = [
        created === 0
          ? "No post was created."
          : `${plural(created, "post")} ${created === 1 ? "was" : "were"} created.`,
        ...(refused === 0 ? [] : [`${plural(refused, "post")} ${refused === 1 ? "was" : "were"} refused.`]),
      ].join(" ");
      return c.json({ message, created, refused, results, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "validatePosts",
      method: "post",
      path: "/social/validate-posts",
      tag: "Posts",
      permission: ["social-create-post", "social-propose-post"],
      extension: true,
      summary: "Check up to 100 posts without creating them",
      description:
        "Runs the checks of validate-post for each post and returns a result for each. A file that several posts have is read once; all files together take up to about 15 seconds.",
      quotas: "concurrent requests that check media",
      body: ValidatePostsBody,
      answer: z.object({
        message: z.string(),
        valid: z.boolean(),
        results: z.array(z.union([ValidView, RefusedView])),
        status: z.literal(true),
      }),
      answerDescription: "The result of each post, in the order of `posts`.",
      example: {
        message: "1 of 1 posts can be published.",
        valid: true,
        results: [{ index: 0, status: true, ...VALIDATED_EXAMPLE }],
        status: true,
      },
    }),
    async (c) => {
      const { long_text: longText = "refuse", defaults = {}, posts } = c.req.valid("json");
      const items = readItems(defaults, posts);
      const { deps, caller } = c.var;
      const checked = await validateTogether(
        deps,
        caller,
        items.map(({ body }) => body),
        { longText },
      );
      const origin = apiOrigin(c);
      const results = checked.map((found, index) => {
        const item = items[index];
        if (found instanceof AppError) return refusedView({ outcome: toRefusal(found), index, item, origin });
        const sentences = found.warnings.map(({ message }) => message);
        const warnings = warningsOf(item, sentences);
        return { index, status: true as const, ...toValidatedView(found), ...warnings };
      });
      const count = results.filter((result) => result.status).length;
      const message = `${count} of ${plural(results.length, "post")} can be published.`;
      return c.json({ message, valid: count === results.length, results, status: true } as const, 200);
    },
  );
}

interface Shown<O extends Outcome> {
  readonly outcome: O;
  readonly index: number;
  readonly item: Item | undefined;
  readonly origin: string;
}

function toResult({ outcome, ...shown }: Shown<Outcome>): z.output<typeof ResultView> {
  const { item, index, origin } = shown;
  if (!isCreated(outcome)) return refusedView({ outcome, ...shown });
  if (!item || item.body instanceof AppError) throw new Error("A refused post was created.");
  const { id } = outcome;
  const data = { post_id: id, STATUS: "processing", find_post_url: `${origin}/api/v1/social/post/${id}` } as const;
  const message = createdMessage(item.body, outcome);
  return { index, status: true, message, data, ...warningsOf(item, outcome.warnings) };
}

function refusedView({ outcome, index, item, origin }: Shown<Refusal>): z.output<typeof RefusedView> {
  const { code, message, errors } = outcome;
  const refusal = { message, code, ...adviceOn(code, origin), ...(errors ? { errors } : {}) };
  return { index, status: false, ...refusal, ...warningsOf(item) };
}

function warningsOf(item: Item | undefined, more: readonly string[] = []): { readonly warnings?: string[] } {
  const warnings = [...(item?.warnings ?? []), ...more];
  return warnings.length === 0 ? {} : { warnings };
}
