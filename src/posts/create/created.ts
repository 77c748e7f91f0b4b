import { z } from "zod";
import { idOf, type PostId } from "../../core/ids.ts";
import { SlotAnswer } from "../timetable/placement.ts";

/** The outcome of a request: the post, its slot in the queue, and the warnings for the caller. */
export interface Created {
  readonly id: PostId;
  readonly slot: SlotAnswer | null;
  readonly warnings: readonly string[];
}

/** What is stored with an `Idempotency-Key`. */
const StoredAnswer = z.object({
  post_id: z.int(),
  slot: SlotAnswer.nullable(),
  warnings: z.array(z.string()),
});

/** The answer for a repeated request. */
export function recallCreated(stored: string): Created {
  const { post_id, ...rest } = StoredAnswer.parse(JSON.parse(stored));
  return { id: idOf<PostId>(post_id), ...rest };
}
