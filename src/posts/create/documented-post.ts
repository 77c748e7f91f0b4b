import { z } from "@hono/zod-openapi";
import { CreatePostBody, PostExtra } from "../schema.ts";
import { POST_KINDS, POST_TIMES, type PostKind, type PostTime } from "./post-kinds.ts";

/**
 * create-post's body as the OpenAPI document shows it: a kind of post and a time, each a union whose branches
 * state their own rules. Requests are checked with `CreatePostBody`, whose sentences are better than "no
 * branch fits".
 */
export function documentedPost(): readonly (readonly [name: string, branch: z.ZodObject])[] {
  return [
    ...POST_KINDS.map((kind) => [kind.name, kindSchema(kind).openapi(OPEN)] as const),
    ...POST_TIMES.map((time) => [time.name, timeSchema(time).openapi(OPEN)] as const),
  ];
}

/** Each branch is a part of the body: other fields belong to the other union, or only cause a warning. */
const OPEN = { unevaluatedProperties: true };

const { shape } = CreatePostBody;
const { caption_text, media_urls, alt_texts, twitter_threads, schedule_time, time_zone } = shape;

/** Fields that a branch describes itself. */
const OF_A_BRANCH = {
  channel_type: true,
  post_type: true,
  caption_text: true,
  media_urls: true,
  alt_texts: true,
  twitter_threads: true,
  post_extra: true,
  publish_mode: true,
  schedule_time: true,
  time_zone: true,
} as const satisfies Partial<Record<keyof typeof shape, true>>;

const everywhere = Object.fromEntries(Object.entries(shape).filter(([name]) => !Object.hasOwn(OF_A_BRANCH, name)));

const CAPTION = { description: "The main text.", example: "The new frames are in." };
const FILES = {
  description: "Addresses of images and videos; may be empty.",
  example: ["https://cdn.example.com/frame.jpg"],
};
const NOT_HERE = "Empty for a thread: each item has its own files.";

/** A text that is not blank. */
const NOT_BLANK = { pattern: "\\S" };

function kindSchema({ channel, types, isThread, requires, takes }: PostKind): z.ZodObject {
  const content = isThread
    ? {
        twitter_threads: twitter_threads.unwrap().min(1),
        alt_texts: alt_texts.openapi({ maxItems: 0, example: [], description: NOT_HERE }),
      }
    : {
        caption_text: caption_text.unwrap().openapi({ ...NOT_BLANK, ...CAPTION }),
        media_urls: media_urls.unwrap().openapi(FILES),
        alt_texts,
      };
  return z.object({
    channel_type: z.literal(channel),
    post_type: z.enum(types),
    ...everywhere,
    ...content,
    ...(requires.includes("post_extra") ? { post_extra: TitledExtra } : {}),
    ...(takes.includes("post_extra") ? { post_extra: PrivacyExtra.optional() } : {}),
  });
}

const { title, category, privacyStatus } = PostExtra.shape;

/** Defaults are described in words, because generators treat a field with `default` as always present. */
const TitledExtra = z.object({
  title: title.unwrap(),
  category: category.unwrap().optional().openapi({ description: "YouTube's category id. Default: 22.", example: 22 }),
  privacyStatus: privacyStatus.unwrap().optional().openapi({ description: "`public` when absent." }),
});

/** Only who may see the post. */
const PrivacyExtra = z.object({
  privacyStatus: z.enum(["public", "private"]).optional().openapi({
    description: "`private`: visible only to the account owner. If absent, as public as the account allows.",
  }),
});

function timeSchema({ modes, requires }: PostTime): z.ZodObject {
  const isTimed = requires.includes("schedule_time");
  return z.object({
    publish_mode: z.enum(modes),
    ...(isTimed ? { schedule_time: schedule_time.unwrap(), time_zone: time_zone.unwrap() } : { time_zone }),
  });
}
