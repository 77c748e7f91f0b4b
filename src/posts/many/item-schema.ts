import type { AppError } from "../../core/errors.ts";
import { textRefusal } from "../../core/text-refusal.ts";
import { withoutNulls } from "../../http/null-fields.ts";
import { shapeOf } from "../../http/shape.ts";
import { unknownFields } from "../../http/unknown-fields.ts";
import { invalidRequest } from "../../http/validation.ts";
import { unknownField } from "../../http/warnings.ts";
import { ignoredFields } from "../create/post-kinds.ts";
import { CreatePostBody } from "../schema.ts";

/** Posts of one request, each read as create-post reads its body. */

type Fields = Readonly<Record<string, unknown>>;

export interface Item {
  /** The body of create-post, or its refusal. */
  readonly body: CreatePostBody | AppError;
  /** Fields that create-post does not know, or that have no effect. */
  readonly warnings: readonly string[];
}

const SHAPE = shapeOf(CreatePostBody);

/** More unknown names of one post are not reported. */
const MAX_UNKNOWN = 5;

export function readItems(defaults: Fields, posts: readonly Fields[]): readonly Item[] {
  const common = warningsOf(defaults);
  return posts.map((post, index) => {
    const { body, warnings } = readItem(defaults, post);
    return { body, warnings: index === 0 ? [...common, ...warnings] : warnings };
  });
}

/** One post: its own fields, then those of `defaults`. */
export function readItem(defaults: Fields, post: Fields): Item {
  const sent = withoutNulls(SHAPE, { ...defaults, ...post });
  const refusal = textRefusal(sent);
  if (refusal) return { body: refusal, warnings: [] };
  const { data: body, error } = CreatePostBody.safeParse(sent);
  if (!body) return { body: invalidRequest(error, sent, SHAPE), warnings: warningsOf(post) };
  // A default that does not suit this post is no mistake.
  const { channel_type, post_type, publish_mode } = body;
  const ignored = ignoredFields({ ...post, channel_type, post_type, publish_mode });
  return { body, warnings: [...warningsOf(post), ...ignored] };
}

function warningsOf(fields: Fields): readonly string[] {
  return unknownFields(SHAPE, fields, MAX_UNKNOWN).map((unknown) => unknownField(unknown, "a field", "create-post"));
}
