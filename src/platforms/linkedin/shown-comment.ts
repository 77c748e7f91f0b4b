import { z } from "zod";
import { PlatformId } from "../json.ts";
import { lenient, shownText, shownTime } from "../lists.ts";
import { timeIn } from "./account.ts";

/**
 * Comments as LinkedIn shows them. One is known by its URN here: answering it needs no less, and the number
 * alone is part of it.
 */

export const ShownComment = z.object({
  id: PlatformId,
  actor: lenient(z.string()),
  message: lenient(z.object({ text: shownText })),
  created: lenient(z.object({ time: shownTime })),
  commentUrn: lenient(z.string()),
  $URN: lenient(z.string()),
  object: lenient(z.string()),
  parentComment: lenient(z.string()),
});
export type ShownComment = z.output<typeof ShownComment>;

/** As it may be told; made of the activity and the number where it is not. Null where neither is told. */
export function urnOf({ id, commentUrn, $URN, object }: ShownComment): string | null {
  const urn = commentUrn ?? $URN ?? (object === undefined ? null : `urn:li:comment:(${object},${id})`);
  // The short form leaves out what all have.
  return urn?.replace(/^urn:li:comment:\((?!urn:)/, "urn:li:comment:(urn:li:") ?? null;
}

/** What a comment's URN says that it stands under; null where it is no URN. */
export function objectIn(urn: string): string | null {
  return /^urn:li:comment:\((urn:li:\w+:\d+),\d+\)$/.exec(urn)?.[1] ?? null;
}

/** Epoch milliseconds, by its number where it is not told; NaN where that tells nothing either. */
export function madeAt({ id, created }: ShownComment): number {
  return [created?.time ?? Number.NaN, timeIn(`:${id}`) ?? Number.NaN].find(Number.isFinite) ?? Number.NaN;
}

export function textOf({ message }: ShownComment): string {
  return message?.text ?? "";
}
