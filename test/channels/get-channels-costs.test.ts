import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { CHANNEL_HEALTH } from "../../src/channels/table.ts";
import { sweep } from "../../src/entry/dispatch.ts";
import { advance } from "../support/clock.ts";
import { costOf, costsOf } from "../support/costs.ts";
import { GRANT, insert, list, type NewChannel, projectId } from "../support/listed-channels.ts";
import { Project } from "../support/world.ts";

/** get-channels of a project with very many: what is found, and what that costs. */

const Walked = z.object({
  channels: z.object({
    data: z.array(z.object({ channel_id: z.number() })),
    next_page_url: z.string().nullable(),
  }),
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
});

describe("with 20,000 channels, few of which are rare", () => {
  const MANY = 20_000;
  const DAY = 86_400_000;
  let project: Project;
  /** By health; the rare ones are at the far end of the list, in its middle and at its start. */
  const ids = new Map<string, readonly number[]>();
  const healthOf = (index: number) => {
    const place = index % 9_999;
    if (place < 20) return "reconnect_needed";
    if (place < 30) return "expiring";
    // These two by their time alone.
    return place < 45 ? "ends" : "connected";
  };
  const RARE = { reconnect_needed: 42, expiring: 50 } as const;

  beforeAll(async () => {
    project = await Project.create();
    const made = (index: number): NewChannel => {
      const health = healthOf(index);
      return {
        platform: index % 4 === 0 ? "facebook" : "twitter",
        userRef: `user ${index % 2}`,
        isConnected: true,
        grant: {
          ...GRANT,
          health: health === "ends" ? "connected" : health,
          expiresAt: Date.now() + (health === "ends" ? 6 : 60) * DAY,
        },
      };
    };
    await insert(
      await projectId(project),
      Array.from({ length: MANY }, (_, index) => made(index)),
    );
    const { results } = await env.DB.prepare("SELECT id FROM channels WHERE project_id = ? ORDER BY id DESC")
      .bind(await projectId(project))
      .all<{ id: number }>();
    for (const health of CHANNEL_HEALTH) {
      const isThat = (index: number) => (healthOf(index) === "ends" ? "expiring" : healthOf(index)) === health;
      ids.set(
        health,
        results.flatMap(({ id }, index) => (isThat(MANY - 1 - index) ? [id] : [])),
      );
    }
    // What the time has made expiring is marked by the sweep, or by the first list.
    await list(project, "health=expiring");
  }, 120_000);

  const filters = ["reconnect_needed", "expiring", "reconnect_needed,expiring", "connected", "connected,expiring"];
  const wantedOf = (filter: string) =>
    filter
      .split(",")
      .flatMap((health) => ids.get(health) ?? [])
      .toSorted((one, other) => other - one);

  test("the rare ones are as many as were made", ({ expect }) => {
    for (const [health, count] of Object.entries(RARE))
      expect([health, wantedOf(health).length]).toEqual([health, count]);
  });

  test.for(filters)(
    "?health=%s: page 1 is whole, with the true total, and reads few rows",
    async (filter, { expect }) => {
      const wanted = wantedOf(filter);
      for (const limit of [1, 10, 25, 100]) {
        const found = await list(project, `health=${filter}`, limit);
        expect(found.data.map(({ channel_id }) => channel_id)).toEqual(wanted.slice(0, limit));
        expect([found.total, found.isCapped, found.calls]).toEqual([wanted.length, false, 1]);
        expect([limit, found.rowsRead]).toEqual([limit, expect.toSatisfy((rows: number) => rows <= 12 * limit + 100)]);
      }
    },
  );

  test.for(filters)("?health=%s: pages from both ends are right", async (filter, { expect }) => {
    const wanted = wantedOf(filter);
    const last = Math.ceil(wanted.length / 10);
    for (const page of [2, 3, Math.min(last, 200), Math.max(1, last - 200), last - 1, last, last + 1]) {
      const found = await list(project, `health=${filter}&page=${page}`, 10);
      expect([page, found.data.map(({ channel_id }) => channel_id)]).toEqual([
        page,
        wanted.slice((page - 1) * 10, page * 10),
      ]);
      expect([page, found.total, found.isCapped]).toEqual([page, wanted.length, false]);
      expect(found.rowsRead).toBeLessThanOrEqual(25_000);
    }
  });

  test.for([
    "",
    "platform=facebook,twitter",
    "health=connected",
    "health=connected,expiring,reconnect_needed",
    "health=connected,expiring&platform=facebook,twitter,youtube",
  ])("?%s: the deepest pages read at most 25,000 rows", async (query, { expect }) => {
    for (const limit of [1, 10, 100]) {
      const { total } = await list(project, query, limit);
      const pages = Math.floor(10_000 / limit);
      const last = Math.ceil(total / limit);
      for (const page of [pages, Math.max(pages, last - pages)]) {
        const found = await list(project, `${query}&page=${page}`, limit);
        expect([limit, page, found.data.length]).toEqual([limit, page, limit]);
        expect([limit, page, found.rowsRead]).toEqual([
          limit,
          page,
          expect.toSatisfy((rows: number) => rows <= 25_000),
        ]);
      }
    }
  });

  test.for([...filters, "reconnect_needed,expiring&user_id=user 1", "expiring&platform=facebook"])(
    "?health=%s by cursor: each once, every page but the last is full and reads few rows",
    { timeout: 60_000 },
    async (query, { expect }) => {
      const [filter = ""] = query.split("&");
      const walked: number[] = [];
      let address: string | null = `/social/get-channels?health=${query}&limit=100&cursor=`;
      while (address !== null) {
        await advance(15);
        const answer = await project.call("GET", address);
        expect(costOf(answer).rowsRead).toBeLessThanOrEqual(12 * 100 + 100);
        const page = Walked.parse(answer.body).channels;
        walked.push(...page.data.map(({ channel_id }) => channel_id));
        address = page.next_page_url;
        if (address !== null) expect(page.data).toHaveLength(100);
      }
      const numbered = await list(project, `health=${query}`, 1);
      expect(walked).toHaveLength(numbered.total);
      if (query === filter) expect(walked).toEqual(wantedOf(filter));
      expect(walked).toEqual(walked.toSorted((a, b) => b - a));
    },
  );

  test("what begins to expire is found in its very first list, many at once by the next ones", async ({ expect }) => {
    const ending = await Project.create();
    const one = {
      platform: "twitter",
      userRef: "u",
      isConnected: true,
      grant: { ...GRANT, expiresAt: Date.now() + DAY },
    };
    await insert(
      await projectId(ending),
      Array.from({ length: 2_500 }, () => one),
    );
    const totals: (readonly [number, boolean])[] = [];
    for (let time = 0; time < 2; time++) {
      const found = await list(ending, "health=expiring", 10);
      expect(found.data).toHaveLength(10);
      expect(found.rowsRead).toBeLessThanOrEqual(25_000);
      totals.push([found.total, found.isCapped]);
      expect((await list(ending, "health=connected", 10)).data).toEqual([]);
    }
    expect(totals.at(0)).toEqual([1_000, true]);
    expect(totals.at(-1)).toEqual([2_500, false]);
  }, 60_000);

  test("the sweep marks what began to expire since the last one", async ({ expect }) => {
    const ending = await Project.create();
    const made = (expiresAt: number) => ({
      platform: "twitter",
      userRef: "u",
      isConnected: true,
      grant: { ...GRANT, expiresAt },
    });
    await insert(
      await projectId(ending),
      Array.from({ length: 300 }, (_, index) => made(Date.now() + (index % 2 === 0 ? 1 : 60) * DAY)),
    );
    await costsOf(sweep);
    const found = await list(ending, "health=expiring", 10);
    expect([found.total, found.data.length, found.isCapped]).toEqual([150, 10, false]);
    expect(found.rowsRead).toBeLessThanOrEqual(220);
    expect((await list(ending, "health=connected", 10)).total).toBe(150);
  });
});
