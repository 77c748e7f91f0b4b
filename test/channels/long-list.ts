import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../support/clock.ts";
import { costOf } from "../support/costs.ts";
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

  test.for([
    ["health=reconnect_needed", 50],
    ["health=reconnect_needed,expiring", 50],
    ["health=reconnect_needed&platform=facebook", 50],
  ] as const)("?%s: page 1 and the last one find the few of 4,500", async ([query, total], { expect }) => {
    for (const limit of [1, 10, 100]) {
      const first = await list(project, query, limit);
      expect(first.data).toHaveLength(Math.min(limit, total));
      // A page that the newest channels fill counts among those.
      if (limit > 1) expect([first.total, first.isCapped]).toEqual([total, false]);
      expect([limit, first.rowsRead]).toEqual([limit, expect.toSatisfy((rows: number) => rows <= 25_000)]);
    }
    const last = await list(project, `${query}&page=5`, 10);
    expect(last).toMatchObject({ total, isCapped: false, next_page_url: null });
    expect(last.data).toHaveLength(10);
    expect(last.rowsRead).toBeLessThanOrEqual(25_000);
  });

  test("the most that is read for a page is bounded", async ({ expect }) => {
    const ill = await Project.create();
    const one = {
      platform: "twitter",
      userRef: "u",
      isConnected: true,
      grant: { ...GRANT, health: "reconnect_needed" },
    };
    await insert(
      await projectId(ill),
      Array.from({ length: 5_000 }, () => one),
    );
    for (const health of ["expiring", "connected", "reconnect_needed&page=10"]) {
      const found = await list(ill, `health=${health}`);
      expect(found.isCapped).toBe(true);
      expect([health, found.rowsRead]).toEqual([health, expect.toSatisfy((rows: number) => rows <= 25_000)]);
    }
  }, 60_000);

  test("those at the far end are found as well", async ({ expect }) => {
    const far = await Project.create();
    const made = (index: number): NewChannel => ({
      platform: "facebook",
      userRef: "u",
      isConnected: true,
      grant: { ...GRANT, health: index < 50 ? "reconnect_needed" : "connected" },
    });
    await insert(
      await projectId(far),
      Array.from({ length: 4_500 }, (_, index) => made(index)),
    );
    for (const query of ["health=reconnect_needed", "health=reconnect_needed&user_id=u"]) {
      for (const limit of [10, 100]) {
        const { data, total, rowsRead } = await list(far, query, limit);
        expect([query, total, data.length]).toEqual([query, 50, Math.min(limit, 50)]);
        expect(rowsRead).toBeLessThanOrEqual(25_000);
      }
    }
  }, 60_000);

  test.for([
    ["health=reconnect_needed", 50],
    ["health=reconnect_needed&platform=facebook", 50],
    ["health=connected&user_id=user 8", 10],
    ["health=connected", CONNECTED - 50],
  ] as const)("?%s: %i by cursor; page 1 says where it has not checked all", async ([query, total], { expect }) => {
    for (const limit of [1, 10, 100]) {
      const first = await list(project, query, limit);
      const most = query.startsWith("health=reconnect_needed") ? 25_000 : 12 * limit + 100;
      expect([limit, first.rowsRead]).toEqual([limit, expect.toSatisfy((rows: number) => rows <= most)]);
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
