// Parameters of every publishing call: text and publish time.

import { z } from "zod";
import { badParameter } from "../meta/errors";
import { flag, moment, nested, text } from "../meta/params";
import type { Sandbox } from "../sandbox";

const MINUTE = 60_000;
const LONGEST_TEXT = 63_206;

export const Message = text.refine(
  (value) => value.length <= LONGEST_TEXT,
  `must not exceed ${LONGEST_TEXT} characters`,
);
/** The id of a Page that has a location. */
export const LocationId = text.regex(/^\d+$/, "must be a valid place id");
export const Ignored = {
  targeting: nested(z.unknown()).optional(),
  place: LocationId.optional(),
  /** Not documented: without the setting, nothing shows that it was sent. */
  is_ai_generated: flag.optional(),
};
export const Schedule = { published: flag.optional(), scheduled_publish_time: moment.optional() };

interface Timing {
  published?: boolean | undefined;
  scheduled_publish_time?: number | undefined;
}

/** When a post goes live: now, at its scheduled time, or never (unpublished). */
export function whenLive(sandbox: Sandbox, input: Timing, longestMs: number) {
  const isPublished = input.published ?? true;
  const at = input.scheduled_publish_time;
  if (at === undefined)
    return { is_published: isPublished, scheduled_at: null, live_at: isPublished ? sandbox.now() : null };
  if (isPublished) throw badParameter("scheduled_publish_time needs published=false");
  const ahead = at - sandbox.now();
  if (ahead < 10 * MINUTE - 1000 || ahead > longestMs) {
    throw badParameter("The specified scheduled publish time is invalid.");
  }
  return { is_published: false, scheduled_at: at, live_at: at };
}
