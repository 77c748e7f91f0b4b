import { z } from "zod";

/** Comments as YouTube shows them. */

export const Comment = z.object({
  id: z.string().min(1),
  snippet: z.object({
    // Given to the author only.
    textOriginal: z.string().optional(),
    textDisplay: z.string().optional(),
    authorDisplayName: z.string().optional().catch(undefined),
    // Of an account that is gone there is none.
    authorChannelId: z.object({ value: z.string() }).optional().catch(undefined),
    publishedAt: z.string().optional(),
  }),
});
export type Comment = z.output<typeof Comment>;
export const Comments = z.object({ items: z.array(Comment).optional(), nextPageToken: z.string().optional() });

const Thread = z.object({
  id: z.string().min(1),
  snippet: z.object({ topLevelComment: Comment.omit({ id: true }) }),
  // Some of its answers, not all.
  replies: z
    .object({ comments: z.array(Comment).optional() })
    .optional()
    .catch(undefined),
});
export const Threads = z.object({ items: z.array(Thread).optional(), nextPageToken: z.string().optional() });

export function textOf({ snippet: { textOriginal, textDisplay = "" } }: Comment): string {
  return textOriginal ?? textDisplay;
}

/** The id of the author's channel. */
export function authorOf({ snippet }: Comment): string | undefined {
  return snippet.authorChannelId?.value;
}

/** Epoch milliseconds; NaN where it is not told. */
export function madeAt({ snippet }: Comment): number {
  return Date.parse(snippet.publishedAt ?? "");
}
