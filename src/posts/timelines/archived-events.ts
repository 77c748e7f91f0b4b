import { z } from "zod";
import type { StoredEvent } from "../../events/store.ts";

/** The entry of a post in a page of the archive: the events of its timeline, the oldest first. */
export const ArchivedEvents = z.array(
  z
    .tuple([z.number(), z.string(), z.string(), z.record(z.string(), z.unknown()).nullable(), z.number()])
    .transform(([id, type, message, detail, createdAt]) => ({ id, type, message, detail, createdAt })),
);
export type ArchivedEvent = z.output<typeof ArchivedEvents>[number];

export function toArchived(events: readonly StoredEvent[]): z.input<typeof ArchivedEvents> {
  return events.map(({ id, type, message, detail, createdAt }) => [id, type, message, toRecord(detail), createdAt]);
}

const toRecord = (detail: StoredEvent["detail"]) => (detail === null ? null : { ...detail });
