import { z } from "@hono/zod-openapi";
import { ErrorView } from "../../http/answers.ts";
import { LONG_TEXTS } from "../create/long-text.ts";
import { CreatePostBody } from "../schema.ts";

/** Shapes of the operations for many posts at once. */

export const MAX_POSTS = 100;

/** The fields of create-post, none of them required. */
export const PostFields = z.object(CreatePostBody.shape).partial().openapi({
  description: "Fields of create-post. Null: absent, although `defaults` has the field.",
});
export const POST_FIELDS = "PostFields";

/** Each post is checked by itself (item-schema.ts), so that its problems belong to it. */
export const UncheckedFields = z.looseObject({}).openapi({
  type: "object",
  allOf: [{ $ref: `#/components/schemas/${POST_FIELDS}` }],
});

const Together = {
  defaults: UncheckedFields.optional().openapi({
    description: "Fields of all posts that do not have their own: one text for several channels, for example.",
  }),
  posts: z
    .array(UncheckedFields)
    .min(1)
    .max(MAX_POSTS)
    .openapi({ description: "Each is the body of create-post, together with `defaults`." }),
};

const LongTextField = z.enum(LONG_TEXTS).optional().openapi({
  description:
    "What becomes of a text that is too long for a post of its channel: `refuse` (default), with an offer in `errors`; or a thread, where the platform has threads, with its items numbered (`(1/3)`) or not. Each item fits; links, mentions and hashtags stay whole. The first item has the files.",
  example: "numbered_thread",
});

const EXAMPLE = {
  defaults: {
    post_type: "post",
    caption_text: "The new frames are in.",
    media_urls: [],
    publish_mode: "queued",
  },
  posts: [
    { channel_type: "facebook", channel_id: 12 },
    { channel_type: "facebook", channel_id: 12, caption_text: "New frames. Come and see." },
  ],
};

export const MODES = ["all_or_nothing", "each"] as const;
export type Mode = (typeof MODES)[number];

export const CreatePostsBody = z
  .object({
    mode: z.enum(MODES).optional().openapi({
      description:
        "`all_or_nothing` (default): if one post is refused, none is created. `each`: the others are created.",
      example: "each",
    }),
    long_text: LongTextField,
    ...Together,
  })
  .openapi("CreatePosts", { example: { mode: "all_or_nothing", ...EXAMPLE } });
export type CreatePostsBody = z.output<typeof CreatePostsBody>;

export const ValidatePostsBody = z
  .object({ long_text: LongTextField, ...Together })
  .openapi("ValidatePosts", { example: EXAMPLE });
export type ValidatePostsBody = z.output<typeof ValidatePostsBody>;

const ItemWarnings = z.array(z.string()).optional().openapi({ description: "As create-post would return them." });
const Index = z.int().openapi({ description: "Its position in `posts`, from 0." });

/** A post that was created, as create-post answers. */
export const CreatedView = z
  .object({
    index: Index,
    status: z.literal(true),
    message: z.string(),
    data: z.object({ post_id: z.int(), STATUS: z.literal("processing"), find_post_url: z.string() }),
    warnings: ItemWarnings,
  })
  .openapi("CreatedOfMany");

/** A post that was refused, as create-post answers. */
export const RefusedView = z
  .object({ index: Index, ...ErrorView.shape, warnings: ItemWarnings })
  .openapi("RefusedOfMany");

export const ResultView = z.union([CreatedView, RefusedView]);
