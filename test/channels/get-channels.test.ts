import fc from "fast-check";
import { describe, test } from "vitest";
import { capabilityRules } from "../../src/channels/health.ts";
import { CHANNEL_HEALTH } from "../../src/channels/table.ts";
import { PLATFORM_NAMES } from "../../src/platforms/names.ts";
import { GRANT, insert, list, Page, projectId } from "../support/listed-channels.ts";
import { Project, projectWith } from "../support/world.ts";

/** get-channels, filtered: what is found, and its true total. */

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
    // Except where a moment more or less changes the health.
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
            reconnectBy: time,
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
          // A later page is searched for in SQL.
          const second = await list(project, `health=${health}&page=2`, 3);
          expect([second.total, second.data]).toEqual([found.total, found.data.slice(3, 6)]);
          if (found.total > 0) seen.add(health);
        }
      }),
      { numRuns: 15 },
    );
    expect([...seen].toSorted()).toEqual([...CHANNEL_HEALTH].toSorted());
  });
});
