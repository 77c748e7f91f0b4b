import { z } from "@hono/zod-openapi";
import { grouped } from "../../core/sentences.ts";
import { isBlank } from "../../core/text.ts";
import { text } from "../../core/text-field.ts";

/** Texts of a request, bounded before any costly check. */

/** The largest number of files, and so of alt texts, that any platform accepts. */
export const MAX_FILES = 35;

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
  .refine((words) => !isBlank(words), "must not be blank.")
  .openapi({
    pattern: "\\S",
    example: "Sizes and prices are in the link in our profile.",
    description:
      "A comment that the channel publishes once under its own live post (in a thread: under the first item). The post does not wait for it. `include=content` returns the outcome as `first_comment_result`. Left out with a warning if the platform or this post type has no comments.",
  });

/** Reads show null for none. */
const AltText = z.preprocess((words) => words ?? "", text(5_000)).openapi({ type: ["string", "null"] });

export const AltTexts = z
  .array(AltText)
  .max(MAX_FILES)
  .openapi({
    example: ["A red bike on a quay"],
    description:
      "Descriptions of the files for people who cannot see them, in the order of `media_urls`. An empty string or null means no description. Alt texts that the platform does not support are left out. `warnings` reports this if the post type decides it; validate-post and the timeline (`post.left_out`) report it if the file decides it.",
  });
