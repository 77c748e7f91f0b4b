import { z } from "zod";
import { lenient, lenientList, parseItems, shownText, shownTime } from "../lists.ts";

/** Comments as YouTube shows them. */

const Snippet = z.object({
  // YouTube shows it to the author only.
  textOriginal: lenient(shownText),
  textDisplay: lenient(shownText),
  authorDisplayName: lenient(z.string()),
  // Absent if the account was deleted.
  authorChannelId: lenient(z.object({ value: z.string() })),
  publishedAt: shownTime,
});
export const Comment = z.object({ id: z.string().min(1), snippet: Snippet });
export type Comment = z.output<typeof Comment>;

export const Thread = z.object({
  id: z.string().min(1),
  snippet: z.object({ videoId: lenient(z.string()), topLevelComment: z.object({ snippet: Snippet }) }),
  // Some of its answers.
  replies: lenient(z.object({ comments: lenientList(Comment) })),
});

/** Unreadable items are set aside: one odd comment hides no other. */
const pageOf = <S extends z.ZodType>(item: S) =>
  z
    .object({ items: z.array(z.unknown()).nullish(), nextPageToken: lenient(z.string()) })
    .transform(({ items, nextPageToken }) => ({ ...parseItems(item, items ?? []), nextPageToken }));

export type Thread = z.output<typeof Thread>;
export const Comments = pageOf(Comment);
export const Threads = pageOf(Thread);

export function textOf({ snippet: { textOriginal, textDisplay } }: Comment): string {
  return textOriginal ?? textDisplay ?? "";
}

/** The id of the author's channel. */
export function authorOf({ snippet }: Comment): string | undefined {
  return snippet.authorChannelId?.value;
}

/** Epoch milliseconds; NaN if YouTube does not show it. */
export function madeAt({ snippet }: Comment): number {
  return snippet.publishedAt;
}
