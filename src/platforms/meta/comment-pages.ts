import type { z } from "zod";
import type { CommentPage, ReadComment } from "../commenting.ts";
import type { Failure } from "../context.ts";
import { errorOf, isGone } from "./errors.ts";
import type { GraphCall, GraphClient } from "./graph.ts";

interface Items<S extends z.ZodType> {
  readonly item: S;
  /** The comments that an item stands for; nulls are left out. */
  toComments(item: z.output<S>): readonly (ReadComment | null)[];
}

/**
 * One page of the comments under a post. Meta's cursors expire (facebook.md §0): a refused cursor restarts
 * the list, with one more call. `toComments` returns the comments of an item; nulls are omitted.
 */
export async function readComments<S extends z.ZodType>(
  graph: GraphClient,
  cursor: string | null,
  call: (after: string | undefined) => GraphCall,
  { item, toComments }: Items<S>,
): Promise<CommentPage | Failure> {
  let after = cursor ?? undefined;
  let answer = await graph.request(call(after));
  if (after !== undefined && errorOf(answer)?.code === 100 && !isGone(answer)) {
    after = undefined;
    answer = await graph.request(call(after));
  }
  const page = graph.interpretPage(answer, item, after);
  if (page.kind === "failed") return page;
  const comments = page.items.flatMap(toComments).filter((one) => one !== null);
  return { kind: "page", comments, next: page.isLast ? null : page.next };
}
