import { z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { plural } from "../../core/text.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import { operation } from "../../http/operation.ts";
import { createdMessage } from "../create/created.ts";
import { createMany, isCreated, type Outcome, recallMany } from "../many/create-many.ts";
import { readItems } from "../many/item-schema.ts";
import { CreatePostsBody, ResultView } from "../many/many-schema.ts";
import { refusedView, type Shown, warningsOf } from "./many-common.ts";

export const CreatePosts = operation({
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
  run: async ({ deps, caller, origin, once }, { body }) => {
    const { mode = "all_or_nothing", long_text: longText = "refuse", defaults = {}, posts } = body;
    const items = readItems(defaults, posts);
    const create = (record: IdempotencyRecord | null) => createMany(deps, caller, { items, mode, longText }, record);
    const outcomes = await once(body, create, recallMany);
    const results = outcomes.map((outcome, index) => toResult({ outcome, index, item: items[index], origin }));
    const created = outcomes.filter(isCreated).length;
    const refused = outcomes.length - created;
    const message = [
      created === 0 ? "No post was created." : `${plural(created, "post")} ${created === 1 ? "was" : "were"} created.`,
      ...(refused === 0 ? [] : [`${plural(refused, "post")} ${refused === 1 ? "was" : "were"} refused.`]),
    ].join(" ");
    return { message, created, refused, results, status: true } as const;
  },
});

function toResult({ outcome, ...shown }: Shown<Outcome>): z.output<typeof ResultView> {
  const { item, index, origin } = shown;
  if (!isCreated(outcome)) return refusedView({ outcome, ...shown });
  if (!item || item.body instanceof AppError) throw new Error("A refused post was created.");
  const { id } = outcome;
  const data = { post_id: id, STATUS: "processing", find_post_url: `${origin}/api/v1/social/post/${id}` } as const;
  const message = createdMessage(item.body, outcome);
  return { index, status: true, message, data, ...warningsOf(item, outcome.warnings) };
}
