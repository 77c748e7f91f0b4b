import { z } from "zod";
import { PlatformId } from "../json.ts";
import { lenient, shownText, shownTime } from "../lists.ts";
import { timeIn } from "./account.ts";

/**
 * Comments as LinkedIn shows them, identified by their URN: an answer needs it, and it contains the number.
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

/** The URN, or one made of the activity and the number; null without either. */
export function urnOf({ id, commentUrn, $URN, object }: ShownComment): string | null {
  const urn = commentUrn ?? $URN ?? (object === undefined ? null : `urn:li:comment:(${object},${id})`);
  // The short form omits the common prefix.
  return urn?.replace(/^urn:li:comment:\((?!urn:)/, "urn:li:comment:(urn:li:") ?? null;
}

/** The object of a comment's URN; null if it is not a URN. */
export function objectIn(urn: string): string | null {
  return /^urn:li:comment:\((urn:li:\w+:\d+),\d+\)$/.exec(urn)?.[1] ?? null;
}

/** Epoch milliseconds, from its number if the time is missing; NaN without either. */
export function madeAt({ id, created }: ShownComment): number {
  return [created?.time ?? Number.NaN, timeIn(`:${id}`) ?? Number.NaN].find(Number.isFinite) ?? Number.NaN;
}

export function textOf({ message }: ShownComment): string {
  return message?.text ?? "";
}
