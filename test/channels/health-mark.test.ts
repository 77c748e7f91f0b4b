import { and, eq } from "drizzle-orm";
import fc from "fast-check";
import { describe, test } from "vitest";
import {
  claimRefresh,
  markReconnectNeeded,
  markStopped,
  postponeRefresh,
  storeGrant,
  storeRenewed,
} from "../../src/channels/grant-store.ts";
import { capabilityRules } from "../../src/channels/health.ts";
import { markAllExpiring, markHealth } from "../../src/channels/health-mark.ts";
import { type Channel, markChannelsConnected, upsertChannels } from "../../src/channels/store.ts";
import { CHANNEL_HEALTH, channelsTable, grantsTable } from "../../src/channels/table.ts";
import { DAY } from "../../src/core/time.ts";
import { type Db, runBatch } from "../../src/db/client.ts";
import { PLATFORM_NAMES } from "../../src/platforms/names.ts";
import { createDeps } from "../../src/service/deps.ts";
import { advance } from "../support/clock.ts";
import { GRANT, insert, list, projectId } from "../support/listed-channels.ts";
import { bindings } from "../support/queue.ts";
import { Project } from "../support/world.ts";

/** The marks that get-channels filters by are the health that each channel shows, whatever happened to it. */

const ends = fc.option(fc.constantFrom(-DAY, DAY, 6 * DAY, 8 * DAY, 60 * DAY));
const stored = fc.record({ expires: ends, ends, due: ends, missing: fc.boolean(), extra: fc.boolean() });
const act = fc.oneof(
  fc.record({ kind: fc.constant("login" as const), stored }),
  fc.record({ kind: fc.constant("renewed" as const), stored }),
  fc.record({ kind: fc.constant("postponed" as const), health: fc.constantFrom(...CHANNEL_HEALTH) }),
  fc.record({ kind: fc.constant("stopped" as const), capability: fc.constantFrom("publish", "comments") }),
  fc.record({ kind: fc.constantFrom("dead", "disconnected", "moved", "swept") }),
  fc.record({ kind: fc.constant("later" as const), days: fc.integer({ min: 1, max: 9 }) }),
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

function credentials(platform: Channel["platform"], { stored: given }: Extract<Act, { readonly stored: unknown }>) {
  const at = (ms: number | null) => (ms === null ? null : Date.now() + ms);
  const needed = capabilityRules(platform, "publish")?.scopes ?? [];
  const scopes = [...(given.missing ? needed.slice(1) : needed), ...(given.extra ? ["something.else"] : [])];
  return {
    sealed: "k1.n.c",
    scopes,
    expiresAt: at(given.expires),
    reconnectBy: at(given.ends),
    refreshDueAt: at(given.due),
  };
}

async function perform(db: Db, project: Project, channel: Channel, one: Act): Promise<void> {
  const now = Date.now();
  const ref = { channelId: channel.id, purpose: "publish" } as const;
  const [grant] = await db
    .select()
    .from(grantsTable)
    .where(and(eq(grantsTable.channelId, channel.id), eq(grantsTable.purpose, "publish")));
  const version = { ...ref, version: grant?.version ?? 0 };
  switch (one.kind) {
    case "login":
      await runBatch(db, [
        db.update(channelsTable).set({ name: "again" }).where(eq(channelsTable.id, channel.id)),
        storeGrant(db, ref, credentials(channel.platform, one), null),
        markHealth(db, [channel.id]),
        markChannelsConnected(db, [channel.id], now),
      ]);
      return;
    case "renewed":
      await storeRenewed(db, version, credentials(channel.platform, one), now);
      return;
    case "postponed":
      if (await claimRefresh(db, ref, version, { now, until: now + 1 })) {
        await postponeRefresh(db, ref, now + 1, { retryAt: now + DAY, health: one.health, reason: "down" });
      }
      return;
    case "stopped": {
      const capability = one.capability === "publish" ? "publish" : "comments";
      await markStopped(db, channel.projectId, version, { capability, reason: "It was taken away.", now });
      return;
    }
    case "dead":
      await markReconnectNeeded(db, channel.projectId, version, { reason: "It is dead.", now });
      return;
    case "disconnected":
      await project.call("DELETE", `/social/delete-channel/${channel.id}`);
      return;
    case "moved":
      await upsertChannels(db, [{ ...channel, userRef: channel.userRef === "u" ? "v" : "u" }], now);
      return;
    case "swept":
      return markAllExpiring(db, now);
    case "later":
      return advance(one.days * DAY);
  }
}

describe("the filter by health", () => {
  test("lists exactly the channels that show that health, after any sequence of what changes it", async ({
    expect,
  }) => {
    const { db } = createDeps(bindings, { test: true });
    const seen = new Set<string>();
    const sequence = fc.array(fc.record({ on: fc.nat({ max: PLATFORM_NAMES.length * 2 - 1 }), one: act }), {
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const project = await Project.create();
        const id = await projectId(project);
        const made = [...PLATFORM_NAMES, ...PLATFORM_NAMES].map((platform, index) => ({
          platform,
          userRef: index % 2 === 0 ? "u" : "v",
          isConnected: true,
          grant: index < PLATFORM_NAMES.length ? GRANT : null,
        }));
        await insert(id, made);
        const found = await db
          .select()
          .from(channelsTable)
          .where(eq(channelsTable.projectId, Number(id) as Channel["projectId"]));
        const channels = found.toSorted((one, other) => one.id - other.id);
        for (const { on, one } of steps) {
          const channel = channels[on];
          if (channel) await perform(db, project, channel, one);
        }
        for (const user of ["", "&user_id=u"]) {
          const all = await list(project, user);
          expect(all.total).toBe(all.data.length);
          for (const health of CHANNEL_HEALTH) {
            const wanted = all.data.filter((one) => one.health === health);
            const found = await list(project, `health=${health}${user}`);
            expect([health, found.data, found.total, found.isCapped]).toEqual([health, wanted, wanted.length, false]);
            const second = await list(project, `health=${health}${user}&page=2`, 2);
            expect(second.data).toEqual(wanted.slice(2, 4));
            if (wanted.length > 0) seen.add(health);
          }
        }
      }),
      { numRuns: 25 },
    );
    expect([...seen].toSorted()).toEqual([...CHANNEL_HEALTH].toSorted());
  }, 60_000);

  test.for(PLATFORM_NAMES)("knows every scope that publishing on %s needs", async (platform, { expect }) => {
    const rules = capabilityRules(platform, "publish");
    // The marks know of no other grant, and of no account that can never publish.
    expect(rules).toMatchObject({ grant: "publish" });
    expect(rules?.impossible).toBeUndefined();
    const needed = rules?.scopes ?? [];
    const project = await Project.create();
    const lacking = needed.map((scope) => needed.filter((other) => other !== scope));
    await insert(
      await projectId(project),
      [needed, ...lacking].map((scopes) => ({
        platform,
        userRef: "u",
        isConnected: true,
        grant: { ...GRANT, scopes: JSON.stringify(scopes) },
      })),
    );
    expect((await list(project, "health=connected")).total).toBe(1);
    expect((await list(project, "health=reconnect_needed")).total).toBe(needed.length);
  });
});
