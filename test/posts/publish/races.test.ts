import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { arm, disarm, makeMortal, resume, untilStalled } from "../../contract/mortal.ts";
import { drawn } from "../../contract/sample.ts";
import { hasMedia } from "../../contract/shapes.ts";
import {
  ACCOUNTS,
  calm,
  factsOf,
  homeOn,
  liveOf,
  NAMES,
  outcomeOf,
  plainestOn,
  planFor,
  send,
  settings,
  shapeOf,
} from "../../contract/world.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE, wallClock } from "../../support/times.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Two at once: projects that share an account, changes of one post, deliveries that stalled. */
makeMortal();
// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  disarm();
  vi.restoreAllMocks();
  await calm();
});

describe("an account that two projects share", () => {
  const refusing = NAMES.filter((name) => factsOf(name).refusesRepeats);
  const taking = NAMES.filter((name) => !factsOf(name).refusesRepeats);

  test.for(taking)(
    "%s: with every answer lost, both at once: each is live once, or is said to be unconfirmed",
    async (name) => {
      const homes = [await homeOn(name), await homeOn(name)];
      const caption_text = `Shared and taken ${crypto.randomUUID()}`;
      await sandbox.fault(name, "publish", "accept_then_drop", 8);
      const sents = await Promise.all(homes.map((home) => send(home, plainestOn(name), { caption_text })));
      await Promise.all(queue.messages.map((message) => queue.deliver(message)));
      await queuesIdle(36 * 60 * MINUTE);
      const states = await Promise.all(sents.map(async (sent) => (await outcomeOf(sent)).state));
      const published = states.filter((state) => state === "published").length;
      const live = (await sandbox.postsWith(caption_text)).length;
      expect(states.filter((state) => state === "failed").length + published).toBe(2);
      expect(live).toBeGreaterThanOrEqual(published);
      expect(live).toBeLessThanOrEqual(2);
    },
  );

  test.for(refusing)("%s: of the same text twice within a minute one is live, and one is published", async (name) => {
    const [one, two] = [await homeOn(name), await homeOn(name)];
    const caption_text = `Shared ${crypto.randomUUID()}`;
    const first = await send(one, plainestOn(name), { caption_text });
    await queuesIdle();
    await advance(20_000);
    const second = await send(two, plainestOn(name), { caption_text });
    await queuesIdle();
    expect(await sandbox.postsWith(caption_text)).toHaveLength(1);
    expect((await outcomeOf(first)).state).toBe("published");
    const outcome = await outcomeOf(second);
    expect(outcome.state).toBe("failed");
    expect(outcome.error).not.toContain("another post of the project");
  });

  test.for(refusing)("%s: with every answer lost, both at once: one live, one published", async (name) => {
    const [one, two] = [await homeOn(name), await homeOn(name)];
    const caption_text = `Shared and lost ${crypto.randomUUID()}`;
    await sandbox.fault(name, "publish", "accept_then_drop", 8);
    const sents = [
      await send(one, plainestOn(name), { caption_text }),
      await send(two, plainestOn(name), { caption_text }),
    ];
    await Promise.all(queue.messages.map((message) => queue.deliver(message)));
    await queuesIdle();
    expect(await sandbox.postsWith(caption_text)).toHaveLength(1);
    const states = await Promise.all(sents.map(async (sent) => (await outcomeOf(sent)).state));
    expect(states.toSorted()).toEqual(["failed", "published"]);
  });
});

describe("the queue of a channel", () => {
  test("a post whose time is changed while it is pushed back keeps its new time", async () => {
    const { project, channel } = await projectWith("twitter");
    const text = `pushed ${crypto.randomUUID()}`;
    const id = await createPost(project, channel, { caption_text: text, publish_mode: "queued" });
    const later = Math.ceil((Date.now() + 30 * 24 * 60 * MINUTE) / MINUTE) * MINUTE;
    // share_next has read the queue when the change comes in: its plan moves a post that is not there any
    // more.
    const acts = await countActs(() =>
      createPost(project, channel, { caption_text: "dry run", publish_mode: "share_next" }),
    );
    arm({ [acts]: "stalls" });
    const pushing = createPost(project, channel, { caption_text: "next", publish_mode: "share_next" });
    expect(await untilStalled(pushing)).toBe(true);
    const body = { schedule_time: wallClock(later), time_zone: "UTC" };
    expect((await project.call("PUT", `/social/update-post/${id}`, { body })).status).toBe(200);
    resume();
    await pushing;
    const row = await env.DB.prepare("SELECT run_at FROM jobs WHERE key = ?").bind(`publish:${id}`).first();
    expect(row).toEqual({ run_at: later });
  });

  async function countActs(act: () => Promise<unknown>): Promise<number> {
    arm();
    await act();
    return disarm();
  }
});

describe("changes of one post", () => {
  test("two at once are both kept", async () => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: "before", publish_mode: "queued" });
    const later = Math.ceil((Date.now() + 30 * 24 * 60 * MINUTE) / MINUTE) * MINUTE;
    const update = (body: object) => project.call("PUT", `/social/update-post/${id}`, { body });
    const answers = await Promise.all([
      update({ caption_text: "after" }),
      update({ hash_tags: "new" }),
      update({ schedule_time: wallClock(later), time_zone: "UTC" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const row = await env.DB.prepare("SELECT caption, hash_tags, publish_at FROM posts WHERE id = ?").bind(id).first();
    expect(row).toEqual({ caption: "after", hash_tags: '["new"]', publish_at: later });
  });

  // Before it reads the post, and after that: then the post is shown as processing.
  test.for([
    [2, 200],
    [3, 422],
  ] as const)("a delivery that stalls at its call %i: what was answered is what is published", async ([at, status]) => {
    const { project, channel } = await projectWith("twitter");
    const [old, text] = [`old ${crypto.randomUUID()}`, `new ${crypto.randomUUID()}`];
    const due = Math.ceil((Date.now() + 2 * MINUTE) / MINUTE) * MINUTE;
    const body = { caption_text: old, publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
    const id = await createPost(project, channel, body);
    await advanceTo(due);
    arm({ [at]: "stalls" });
    const stalling = queue.deliver({ type: "job", key: `publish:${id}` });
    expect(await untilStalled(stalling)).toBe(true);
    await advance(90_000);
    const answer = await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: text } });
    expect(answer.status).toBe(status);
    resume();
    await stalling;
    disarm();
    for (let minute = 0; minute < 12; minute++) {
      await queuesIdle(MINUTE);
      await advance(MINUTE);
      await cron();
    }
    const live = [await sandbox.postsWith(old), await sandbox.postsWith(text)].map((posts) => posts.length);
    expect(live).toEqual(status === 200 ? [0, 1] : [1, 0]);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });
});

const REMOVERS = NAMES.filter((name) => planFor(name).isRemovable);

test.for(drawn("lost lease", REMOVERS, 3))(
  "%s: a delivery that lost its lease leaves the taking down to the one that has it",
  async (name) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const home = await homeOn(name, ACCOUNTS[name][1]);
    const { shapes, richest } = planFor(name);
    const shape = shapes.find(hasMedia) ?? richest;
    await send(home, shape);
    arm();
    await queuesIdle();
    const acts = disarm();
    let stalls = 0;
    for (let at = 2; at <= acts; at++) {
      const sent = await send(home, shape);
      arm({ [at]: "stalls" });
      const stalling = queuesIdle();
      if (await untilStalled(stalling)) stalls += 1;
      else disarm();
      await home.project.call("DELETE", `/social/delete-post/${sent.id}`);
      for (let minute = 0; minute < 2; minute++) {
        await advance(MINUTE + 1_000);
        await cron();
      }
      resume();
      await stalling;
      disarm();
      await queuesIdle();
      await advance(2 * MINUTE);
      await cron();
      await queuesIdle();
      expect(await liveOf(sent), `stalled at ${at} of ${acts}`).toEqual([]);
    }
    expect(stalls).toBeGreaterThan(5);
  },
);

test("a refused read while a video is confirmed does not fail it", async () => {
  await settings({ processing_ms: 4_000 });
  const home = await homeOn("facebook");
  const sent = await send(home, shapeOf("facebook", "a video"));
  const reach = globalThis.fetch;
  let refusals = 0;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isRead = request.method === "GET" && /\/77\d+/.test(request.url) && request.url.includes("post_id");
    if (!isRead || refusals >= 3) return reach(request);
    refusals += 1;
    const error = {
      message: "(#100) Tried accessing nonexisting field",
      type: "OAuthException",
      code: 100,
      fbtrace_id: "A",
    };
    return Response.json({ error }, { status: 400 });
  };
  try {
    await queuesIdle();
  } finally {
    globalThis.fetch = reach;
    await settings({ processing_ms: 1_500 });
  }
  expect(refusals).toBe(3);
  expect((await outcomeOf(sent)).state).toBe("published");
});
