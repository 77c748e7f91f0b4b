import { z } from "@hono/zod-openapi";
import { grouped } from "../../core/sentences.ts";
import { hasMarkPile, MAX_MARKS } from "../../core/text.ts";

/** Texts of a request, bounded before any costly check. */

/** The largest number of files, and so of alt texts, that any platform accepts. */
export const MAX_FILES = 35;

/** A text of at most `max` characters that is cheap to check. */
export function text(max: number) {
  return z
    .string()
    .max(max, { abort: true })
    .refine((value) => !hasMarkPile(value), {
      abort: true,
      message: `must not have more than ${MAX_MARKS} combining marks in a row.`,
    });
}

/** The limit for all items together: measuring and comparing more would delay other requests. */
export const MAX_THREAD_TEXT = 100_000;

/** The items of a thread; their texts are bounded together as well. */
export function threadOf<Item extends z.ZodType<{ readonly message: string }>>(item: Item) {
  return z
    .array(item)
    .max(100, { abort: true })
    .superRefine((items, context) => {
      const length = items.reduce((sum, { message }) => sum + message.length, 0);
      if (length <= MAX_THREAD_TEXT) return;
      const message = `must have at most ${grouped(MAX_THREAD_TEXT)} characters altogether, not ${grouped(length)}.`;
      context.addIssue({ code: "custom", message });
    });
}

/** Longer than any platform allows, so that the platform's own limit can be reported. */
export const FirstComment = text(40_000)
  .refine((words) => words.trim() !== "", "must not be blank.")
  .openapi({
    pattern: "\\S",
    example: "Sizes and prices are in the link in our profile.",
    description:
      "Our own comment, published once under the post (a thread: its first item) when that is live. The post does not wait for it: its end is `first_comment_result` of `include=content`. Left out with a warning where the platform or this type of post has no comments.",
  });

export const AltTexts = z
  .array(text(5_000))
  .max(MAX_FILES)
  .openapi({
    example: ["A red bike on a quay"],
    description:
      "What the files show, for those who cannot see them, in the order of `media_urls`; an empty one is none. Left out where the platform takes none for such a file: `warnings` says so where the type of post tells, validate-post and the timeline (`post.left_out`) where the file does.",
  });
