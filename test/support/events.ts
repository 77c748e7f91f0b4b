import { env } from "cloudflare:workers";
import { z } from "zod";
import { AUTOMATION_EVENTS } from "../../src/automations/events.ts";
import { CAMPAIGN_EVENTS } from "../../src/boosts/events.ts";
import { CHANNEL_EVENTS } from "../../src/channels/events.ts";
import { COMMENT_EVENTS } from "../../src/comments/events.ts";
import { CONVERSATION_EVENTS } from "../../src/conversations/events.ts";
import type { EventTypes } from "../../src/events/store.ts";
import { GENERATION_EVENTS } from "../../src/generations/events.ts";
import { POST_EVENTS } from "../../src/posts/events.ts";
import { FEED_EVENTS } from "../../src/posts/feeds/events.ts";
import { SERIES_EVENTS } from "../../src/posts/series/events.ts";
import { USAGE_EVENTS } from "../../src/usage/events.ts";
import { WEBHOOK_EVENTS } from "../../src/webhooks/events.ts";

/** Every event that a test's run wrote is one of the types, with the details of its type and nothing else. */

const TYPES: Readonly<Record<string, EventTypes>> = {
  post: POST_EVENTS,
  series: SERIES_EVENTS,
  feed: FEED_EVENTS,
  channel: CHANNEL_EVENTS,
  comment: COMMENT_EVENTS,
  automation: AUTOMATION_EVENTS,
  generation: GENERATION_EVENTS,
  campaign: CAMPAIGN_EVENTS,
  webhook: WEBHOOK_EVENTS,
  usage: USAGE_EVENTS,
  conversation: CONVERSATION_EVENTS,
};

const Row = z.object({
  id: z.number(),
  subject: z.string(),
  subject_id: z.number(),
  type: z.string(),
  detail: z.string().nullable(),
  created_at: z.number(),
});

const checked = new Set<string>();
const keyOf = (row: z.output<typeof Row>) => `${row.subject} ${row.subject_id} ${row.id}`;

/** How many there were at the last check, and the time of the newest. */
let count = 0;
let newestAt = 0;

/** Where the tables were emptied: ids begin again. */
export function beginEvents(): void {
  checked.clear();
  count = 0;
  newestAt = 0;
}

/** The events since the last check; all of them where some were deleted, or have an earlier time. */
async function recentEvents() {
  const since = newestAt;
  const [total, recent] = await env.DB.batch<Record<string, unknown>>([
    env.DB.prepare("SELECT count(*) AS n FROM events"),
    env.DB.prepare("SELECT * FROM events WHERE created_at >= ?").bind(since),
  ]);
  const isNew = (row: z.output<typeof Row>) => !checked.has(keyOf(row));
  let rows = z.array(Row).parse(recent?.results).filter(isNew);
  const before = count;
  count = z.number().parse(total?.results[0]?.n);
  if (count !== before + rows.length) {
    const { results } = await env.DB.prepare("SELECT * FROM events").all();
    rows = z.array(Row).parse(results).filter(isNew);
  }
  newestAt = Math.max(since, ...rows.map((row) => row.created_at));
  return rows;
}

/** What is wrong with the events written since the last check, as sentences. */
export async function eventFlaws(): Promise<readonly string[]> {
  const rows = await recentEvents();
  for (const row of rows) checked.add(keyOf(row));
  return rows.flatMap(flawsOf);
}

function flawsOf({ id, subject, type, detail }: z.output<typeof Row>): string[] {
  const known = TYPES[subject]?.[type];
  if (!known) return [`Event ${id}: ${subject} has no event ${type}.`];
  const parsed = z.strictObject(known.detail.shape).safeParse(detail === null ? null : JSON.parse(detail));
  return parsed.error ? [`Event ${id}, ${type} ${detail}: ${z.prettifyError(parsed.error)}`] : [];
}
