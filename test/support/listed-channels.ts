import { env } from "cloudflare:workers";
import { z } from "zod";
import { markHealth } from "../../src/channels/health-mark.ts";
import { CHANNEL_HEALTH } from "../../src/channels/table.ts";
import type { ChannelId } from "../../src/core/ids.ts";
import { runBatch } from "../../src/db/client.ts";
import { PLATFORM_NAMES } from "../../src/platforms/names.ts";
import { createDeps } from "../../src/service/deps.ts";
import { advance } from "./clock.ts";
import { costOf } from "./costs.ts";
import { bindings } from "./queue.ts";
import type { Project } from "./world.ts";

/** Rows of channels, and get-channels over them. */

export const Page = z.object({
  channels: z.object({
    current_page: z.number(),
    data: z.array(
      z.object({
        channel_id: z.number(),
        channel_type: z.enum(PLATFORM_NAMES),
        user_id: z.string(),
        health: z.enum(CHANNEL_HEALTH),
      }),
    ),
    next_page_url: z.string().nullable(),
    total: z.number(),
    total_is_capped: z.literal(true).optional(),
  }),
});

export async function list(project: Project, query = "", limit = 100) {
  // Neither the rate limit nor the pace of deep pages is what is tested.
  await advance(700);
  const answer = await project.call("GET", `/social/get-channels?limit=${limit}&${query}`);
  if (answer.status !== 200) throw new Error(`get-channels: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { data, total, next_page_url, total_is_capped: isCapped = false } = Page.parse(answer.body).channels;
  return { data, total, next_page_url, isCapped, ...costOf(answer) };
}

export interface NewChannel {
  readonly platform: string;
  readonly userRef: string;
  readonly isConnected: boolean;
  readonly grant: {
    readonly health: string;
    readonly scopes: string | null;
    readonly expiresAt: number | null;
    readonly reconnectBy: number | null;
    readonly refreshDueAt: number | null;
    readonly stopped: string;
  } | null;
}

/** Straight into the tables, by three statements: rows that no current login creates exist as well. */
export async function insert(projectId: number, channels: readonly NewChannel[]): Promise<void> {
  const rows = channels.map((channel, index) => ({ ...channel, account: `made ${index} ${crypto.randomUUID()}` }));
  for (let start = 0; start < rows.length; start += 1_000) {
    const list = JSON.stringify(rows.slice(start, start + 1_000));
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at,
           disconnected_at)
         SELECT ?1, value ->> 'userRef', value ->> 'platform', value ->> 'account', 'made', '{}', 'reconnect_needed', ?2, ?2,
           CASE WHEN value ->> 'isConnected' THEN NULL ELSE ?2 END FROM json_each(?3)`,
      ).bind(projectId, Date.now(), list),
      env.DB.prepare(
        `INSERT INTO grants (channel_id, purpose, scopes, expires_at, reconnect_by, refresh_due_at, version, stored_at, stored_by, health,
           stopped)
         SELECT channels.id, 'publish', value ->> '$.grant.scopes', value ->> '$.grant.expiresAt', value ->> '$.grant.reconnectBy',
           value ->> '$.grant.refreshDueAt', 1, ?1, 'login', value ->> '$.grant.health', value ->> '$.grant.stopped'
         FROM json_each(?2) CROSS JOIN channels ON channels.project_id = ?3 AND channels.platform = value ->> 'platform'
           AND channels.account_id = value ->> 'account' WHERE value ->> '$.grant.health' IS NOT NULL`,
      ).bind(Date.now(), list, projectId),
    ]);
  }
  const { db } = createDeps(bindings, { test: true });
  const { results } = await env.DB.prepare("SELECT id FROM channels WHERE project_id = ?")
    .bind(projectId)
    .all<{ id: ChannelId }>();
  await runBatch(db, [
    markHealth(
      db,
      results.map(({ id }) => id),
    ),
  ]);
}

export async function projectId({ name }: Project): Promise<number> {
  const row = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<{ id: number }>();
  return row?.id ?? 0;
}

export const GRANT = {
  health: "connected",
  scopes: null,
  expiresAt: null,
  reconnectBy: null,
  refreshDueAt: null,
  stopped: "{}",
} as const;

const PostsPage = z.object({
  posts: z.object({
    data: z.array(z.object({ post_id: z.number() })),
    next_page_url: z.string().nullable(),
    total: z.number().optional(),
    total_is_capped: z.literal(true).optional(),
  }),
});

/** A page of get-posts, with what it cost. Waits first, for the rate limit and the pace of deep pages. */
export async function readPosts(project: Project, address: string) {
  await advance(700);
  const answer = await project.call("GET", address);
  if (answer.status !== 200) throw new Error(`${address}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { data, ...rest } = PostsPage.parse(answer.body).posts;
  return { ids: data.map(({ post_id }) => post_id), ...rest, ...costOf(answer) };
}
