import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { capabilityRules } from "../../src/channels/health.ts";
import { CHANNEL_HEALTH } from "../../src/channels/table.ts";
import { PLATFORM_NAMES } from "../../src/platforms/names.ts";
import { advance } from "../support/clock.ts";
import { costOf } from "../support/costs.ts";
import { Project, projectWith } from "../support/world.ts";

/** get-channels, filtered: what is found, its true total, and what it costs. */

const Page = z.object({
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

const Walked = z.object({
  channels: z.object({
    data: z.array(z.object({ channel_id: z.number() })),
    next_page_url: z.string().nullable(),
  }),
});

async function list(project: Project, query = "", limit = 100) {
  // The rate limit is not what is tested.
  await advance(15);
  const answer = await project.call("GET", `/social/get-channels?limit=${limit}&${query}`);
  if (answer.status !== 200) throw new Error(`get-channels: ${answer.status} ${JSON.stringify(answer.body)}`);
  const { data, total, next_page_url, total_is_capped: isCapped = false } = Page.parse(answer.body).channels;
  return { data, total, next_page_url, isCapped, ...costOf(answer) };
}

interface NewChannel {
  readonly platform: string;
  readonly userRef: string;
  readonly isConnected: boolean;
  readonly grant: {
    readonly health: string;
    readonly scopes: string | null;
    readonly expiresAt: number | null;
    readonly endsAt: number | null;
    readonly refreshDueAt: number | null;
    readonly stopped: string;
  } | null;
}

/** Straight into the tables, by three statements: what no login of today leads to is there as well. */
async function insert(projectId: number, channels: readonly NewChannel[]): Promise<void> {
  const rows = channels.map((channel, index) => ({ ...channel, account: `made ${index} ${crypto.randomUUID()}` }));
  for (let start = 0; start < rows.length; start += 1_000) {
    const list = JSON.stringify(rows.slice(start, start + 1_000));
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, health, created_at, updated_at,
           disconnected_at)
         SELECT ?1, value ->> 'userRef', value ->> 'platform', value ->> 'account', 'made', '{}', 'reconnect_needed', ?2, ?2,
           CASE WHEN value ->> 'isConnected' THEN NULL ELSE ?2 END FROM json_each(?3)`,
      ).bind(projectId, Date.now(), list),
      env.DB.prepare(
        `INSERT INTO grants (channel_id, purpose, scopes, expires_at, ends_at, refresh_due_at, version, stored_at, stored_by, health,
           stopped)
         SELECT channels.id, 'publish', value ->> '$.grant.scopes', value ->> '$.grant.expiresAt', value ->> '$.grant.endsAt',
           value ->> '$.grant.refreshDueAt', 1, ?1, 'login', value ->> '$.grant.health', value ->> '$.grant.stopped'
         FROM json_each(?2) CROSS JOIN channels ON channels.project_id = ?3 AND channels.platform = value ->> 'platform'
           AND channels.account_id = value ->> 'account' WHERE value ->> '$.grant.health' IS NOT NULL`,
      ).bind(Date.now(), list, projectId),
    ]);
  }
}

async function projectId({ name }: Project): Promise<number> {
  const row = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(name).first<{ id: number }>();
  return row?.id ?? 0;
}

const GRANT = {
  health: "connected",
  scopes: null,
  expiresAt: null,
  endsAt: null,
  refreshDueAt: null,
  stopped: "{}",
} as const;

describe("get-channels", () => {
  test("finds by user, platform and health, together, with true totals; a list of words is any of them", async ({
    expect,
  }) => {
    const project = await Project.create();
    const made = (platform: string, userRef: string, health: string, isConnected = true) => ({
      platform,
      userRef,
      isConnected,
      grant: { ...GRANT, health },
    });
    await insert(await projectId(project), [
      made("facebook", "a, b", "connected"),
      made("facebook", "a, b", "reconnect_needed"),
      made("twitter", "a, b", "expiring"),
      made("youtube", "c", "connected"),
      made("twitter", "c", "connected"),
      made("twitter", "c", "connected", false),
    ]);
    const found = async (query: string) => {
      const { data, total } = await list(project, query);
      expect(total).toBe(data.length);
      const ids = data.map(({ channel_id }) => channel_id);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      return data.map(({ channel_type, user_id, health }) => `${channel_type} ${user_id} ${health}`);
    };
    expect(await found("")).toHaveLength(5);
    expect(await found("platform=twitter")).toEqual(["twitter c connected", "twitter a, b expiring"]);
    expect(await found("platform=youtube, facebook,youtube")).toHaveLength(3);
    expect(await found("user_id=a%2C%20b")).toHaveLength(3);
    expect(await found("user_id=a")).toEqual([]);
    expect(await found("health=reconnect_needed")).toEqual(["facebook a, b reconnect_needed"]);
    expect(await found("health=expiring,connected&user_id=a%2C%20b")).toEqual([
      "twitter a, b expiring",
      "facebook a, b connected",
    ]);
    expect(await found("health=connected&platform=twitter&user_id=c")).toEqual(["twitter c connected"]);
    expect(await found("platform=tiktok")).toEqual([]);
  });

  test.for([
    "platform=myspace",
    "platform=",
    "platform=facebook,,twitter",
    "health=ok",
    "health=Connected",
    "user_id=",
  ])("?%s is a 422 on its field", async (query, { expect }) => {
    const project = await Project.create();
    const answer = await project.call("GET", `/social/get-channels?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ errors: { [query.split("=")[0] ?? ""]: [expect.any(String)] } });
  });

  test("a page keeps its filters in its links, and another project's channels are not there", async ({ expect }) => {
    const { project: other } = await projectWith("twitter");
    const project = await Project.create();
    const one = { platform: "twitter", userRef: "u", isConnected: true, grant: GRANT };
    await insert(await projectId(project), [one, one, one]);
    const path = "/social/get-channels?platform=twitter&health=connected&user_id=u&limit=2";
    const first = Page.parse((await project.call("GET", path)).body).channels;
    expect([first.total, first.data.length]).toEqual([3, 2]);
    const next = new URL(first.next_page_url ?? "");
    const second = Page.parse((await project.call("GET", next.href)).body).channels;
    expect([second.total, second.data.length, second.current_page, second.next_page_url]).toEqual([3, 1, 2, null]);
    expect((await list(other)).total).toBe(1);
  });

  test("a filter by health finds exactly what shows that health, whatever a grant holds", async ({ expect }) => {
    const now = Date.now();
    const DAY = 86_400_000;
    // Not where a moment more or less tells another health.
    const time = fc.option(fc.constantFrom(-DAY, DAY, 6 * DAY, 8 * DAY, 60 * DAY).map((ms) => now + ms));
    const scopesOf = (platform: (typeof PLATFORM_NAMES)[number]) => {
      const needed = capabilityRules(platform, "publish")?.scopes ?? [];
      return fc.option(
        fc.subarray([...needed, "something.else"]).map((scopes) => JSON.stringify(scopes)),
        { freq: 4 },
      );
    };
    const channel = fc.constantFrom(...PLATFORM_NAMES, "facebook", "twitter").chain((platform) =>
      fc.record({
        platform: fc.constant(platform),
        userRef: fc.constantFrom("u", "v"),
        isConnected: fc.constant(true),
        grant: fc.option(
          fc.record({
            health: fc.constantFrom(...CHANNEL_HEALTH, "connected"),
            scopes: scopesOf(platform as (typeof PLATFORM_NAMES)[number]),
            expiresAt: time,
            endsAt: time,
            refreshDueAt: time,
            stopped: fc.constantFrom("{}", '{"comments":"no"}', '{"publish":"It was taken away."}'),
          }),
          { freq: 8 },
        ),
      }),
    );
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(channel, { minLength: 30, maxLength: 60 }), async (channels) => {
        const project = await Project.create();
        await insert(await projectId(project), channels);
        const all = await list(project);
        expect(all.total).toBe(channels.length);
        for (const health of CHANNEL_HEALTH) {
          const found = await list(project, `health=${health}`);
          expect(found.data).toEqual(all.data.filter((one) => one.health === health));
          expect(found.total).toBe(found.data.length);
          if (found.total > 0) seen.add(health);
        }
      }),
      { numRuns: 15 },
    );
    expect([...seen].toSorted()).toEqual([...CHANNEL_HEALTH].toSorted());
  });
});

describe("with 5,000 channels in the project, and others beside it", () => {
  const MANY = 5_000;
  let project: Project;

  beforeAll(async () => {
    project = await Project.create();
    const made = (index: number): NewChannel => ({
      platform: index % 4 === 0 ? "facebook" : "twitter",
      userRef: `user ${index % 500}`,
      isConnected: index % 10 !== 9,
      grant: { ...GRANT, health: index % 100 === 0 ? "reconnect_needed" : "connected" },
    });
    const channels = Array.from({ length: MANY }, (_, index) => made(index));
    await insert(await projectId(project), channels);
    const other = await Project.create();
    await insert(await projectId(other), channels.slice(0, 2_000));
  }, 120_000);

  const CONNECTED = 4_500;

  test.for([
    ["", CONNECTED],
    ["platform=facebook", 1_250],
    ["platform=facebook,twitter", CONNECTED],
    ["user_id=user 8", 10],
    ["user_id=user 8&platform=twitter", 0],
    ["user_id=user 7&platform=twitter,youtube", 10],
  ] as const)("?%s: %i in all, in one D1 call that reads few rows", async ([query, total], { expect }) => {
    for (const limit of [1, 10, 100]) {
      const found = await list(project, query, limit);
      expect(found.total).toBe(total);
      expect(found.data).toHaveLength(Math.min(limit, total));
      expect(found.calls).toBe(1);
      expect([limit, found.rowsRead]).toEqual([limit, expect.toSatisfy((rows: number) => rows <= 12 * limit + 100)]);
    }
  });

  test.for([
    ["health=reconnect_needed", 50],
    ["health=reconnect_needed&platform=facebook", 50],
    ["health=connected&user_id=user 8", 10],
    ["health=connected", CONNECTED - 50],
  ] as const)("?%s: %i by cursor; page 1 says where it has not checked all", async ([query, total], { expect }) => {
    for (const limit of [1, 10, 100]) {
      const first = await list(project, query, limit);
      expect([limit, first.rowsRead]).toEqual([limit, expect.toSatisfy((rows: number) => rows <= 12 * limit + 100)]);
      expect(first.isCapped || first.total === total).toBe(true);
    }
    const walked: number[] = [];
    let address: string | null = `/social/get-channels?${query}&limit=100&cursor=`;
    while (address !== null) {
      await advance(15);
      const answer = await project.call("GET", address);
      expect(costOf(answer).rowsRead).toBeLessThanOrEqual(12 * 100 + 100);
      const page = Walked.parse(answer.body).channels;
      walked.push(...page.data.map(({ channel_id }) => channel_id));
      address = page.next_page_url;
    }
    expect(walked).toHaveLength(total);
    expect(walked).toEqual(walked.toSorted((a, b) => b - a));
  });
});
