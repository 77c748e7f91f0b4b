import { z } from "@hono/zod-openapi";
import type { EventType, EventTypes } from "./store.ts";

/** The events of a timeline in the API: a union by `type`, made from the list of events. */
export function timelineView(types: EventTypes, name: string) {
  const [first, ...others] = Object.entries<EventType>(types).map(([type, { description, detail }]) =>
    z
      .object({
        id: z.int(),
        type: z.literal(type).openapi({ description }),
        message: z.string().openapi({ description: "What happened, in one sentence." }),
        detail: detail.nullable().openapi({ description: "Null if its details cannot be read." }),
        created_at: z.string().openapi({ example: "2030-03-05T09:00:01.000+00:00", description: "ISO 8601." }),
      })
      .openapi(eventName(type), { description }),
  );
  if (!first) throw new Error(`${name} has no types.`);
  return z.discriminatedUnion("type", [first, ...others]).openapi(name);
}

/** `post.removal_failed` → `PostRemovalFailedEvent`. */
function eventName(type: string): string {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join("")}Event`;
}
