import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { homeOn, outcomeOf, plainestOn, send } from "../../contract/world.ts";
import { startClean } from "../../support/clean-start.ts";
import { advanceTo } from "../../support/clock.ts";
import { expectedOf, OFFERED } from "../../support/insight-books.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { calmTiktok } from "../../support/tiktok.ts";
import { HOUR } from "../../support/times.ts";

/** A post gets its public id, by which alone its numbers are read, after TikTok has moderated it. */
beforeEach(async () => {
  await startClean();
  await calmTiktok();
});
afterEach(calmTiktok);

const Insights = z.object({
  insights: z.object({
    state: z.string(),
    as_of: z.string().nullable(),
    metrics: z.record(z.string(), z.number().nullable()),
  }),
});

test.for(["one", "two"])(
  "numbers of a post are read once it has its public id, and it is not gone before: %s",
  async (ids) => {
    await sandbox.settings({ tiktok_moderation_ms: 3 * HOUR, tiktok_post_ids: ids });
    const home = await homeOn("tiktok");
    const sent = await send(home, plainestOn("tiktok"));
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
    const publishedAt = Date.now();
    const after = async (hours: number) => {
      await advanceTo(publishedAt + hours * HOUR);
      for (let round = 0; round < 2; round++) {
        await cron();
        await queuesIdle();
      }
      const { body } = await home.project.call("GET", `/social/get-post-insights/${sent.id}`);
      return Insights.parse(body).insights;
    };
    expect(await after(2)).toMatchObject({ state: "waiting", as_of: null, metrics: { likes: null } });
    await after(5);
    const shown = await after(8);
    expect(shown.state).toBe("current");
    const [live] = (await sandbox.posts("tiktok")).slice(0, 1);
    const books = z.array(z.object({ counts: z.record(z.string(), z.number().nullable()) }));
    const query = new URLSearchParams({
      platform: "tiktok",
      post_id: live?.id ?? "",
      at: String(Date.parse(shown.as_of ?? "")),
    });
    const counts = books.parse(await sandbox.control("GET", `insights?${query}`)).map((one) => one.counts);
    expect(shown.metrics).toMatchObject(expectedOf(OFFERED.tiktok, counts));
  },
);
