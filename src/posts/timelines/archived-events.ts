import { z } from "zod";
import { OUTBOX_STATES } from "../../events/outbox.ts";
import type { StoredEvent } from "../../events/outbox-store.ts";

/** The entry of a post in a page of the archive: the events of its timeline, the oldest first. */
export const ArchivedEvents = z.array(
  z
    .tuple([
      z.number(),
      z.string(),
      z.string(),
      z.record(z.string(), z.unknown()).nullable(),
      z.number(),
      z.enum(OUTBOX_STATES).nullable(),
    ])
    .transform(([id, type, message, detail, createdAt, outbox]) => ({ id, type, message, detail, createdAt, outbox })),
);
export type ArchivedEvent = z.output<typeof ArchivedEvents>[number];

export function toArchived(events: readonly StoredEvent[]): z.input<typeof ArchivedEvents> {
  return events.map(({ id, type, message, detail, createdAt, outbox }) => {
    const record = detail === null ? null : { ...detail };
    return [id, type, message, record, createdAt, outbox];
  });
}
