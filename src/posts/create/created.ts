import { z } from "zod";
import { idOf, type PostId } from "../../core/ids.ts";
import type { CreatePostBody } from "../schema.ts";
import { SlotAnswer, slotSentence } from "../timetable/due-time.ts";

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

/** The message of the answer, with the slot of a queued post. */
export function createdMessage({ publish_mode }: Pick<CreatePostBody, "publish_mode">, { slot }: Created): string {
  const message = MESSAGES[publish_mode];
  return slot ? `${message} ${slotSentence(slot)}` : message;
}

const MESSAGES = {
  now: "The post is being published.",
  scheduled: "The post is scheduled.",
  queued: "The post is in the channel's queue.",
  share_next: "The post is the next one of the channel's queue.",
  draft: "The post is stored as a draft until update-post gives it a publish_mode.",
} as const;
