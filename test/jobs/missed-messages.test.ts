import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { SAMPLES } from "../contract/facts.ts";
import { patienceSeconds } from "../contract/plan.ts";
import {
  calm,
  factsOf,
  homeOn,
  liveOf,
  NAMES,
  outcomeOf,
  planFor,
  type Sent,
  send,
  settings,
  shapeOf,
} from "../contract/world.ts";
import { altering, failStatements, quiet, requests } from "../support/between.ts";
import { advance, advanceTo, atOnce } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE, SECOND, wallClock } from "../support/times.ts";
import { createPost, findPost, type Project, projectWith } from "../support/world.ts";

/**
 * Jobs: messages that are refused, early or many; files that are slow; unreadable rows; deliveries
 * that stall.
 */
afterEach(async () => {
  quiet();
  queue.refuse(0);
  vi.restoreAllMocks();
  await calm();
});

const silent = () => vi.spyOn(console, "error").mockImplementation(() => {});
describe("a queue that takes no message", () => {
  test("what was accepted answers its success, and is published with the next sweep", async () => {
    silent();
    const home = await homeOn("facebook");
    queue.refuse(1);
    const sent = await send(home, shapeOf("facebook", "a text"));
    expect(queue.length).toBe(0);
    await cron();
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");

    queue.refuse(1);
    expect((await home.project.call("DELETE", `/social/delete-post/${sent.id}`)).status).toBe(200);
    await cron();
    await queuesIdle();
    expect(await liveOf(sent)).toEqual([]);
  });

  test("a change of the time is a success too", async () => {
    silent();
    const { project, channel } = await projectWith("twitter");
    const text = `moved ${crypto.randomUUID()}`;
    const id = await createPost(project, channel, { caption_text: text, publish_mode: "queued" });
    queue.refuse(1);
    const soon = Math.ceil((Date.now() + 30 * SECOND) / MINUTE) * MINUTE;
    const body = { schedule_time: wallClock(soon), time_zone: "UTC" };
    expect((await project.call("PUT", `/social/update-post/${id}`, { body })).status).toBe(200);
    for (let minute = 0; minute < 2; minute++) {
      await cron();
      await queuesIdle(MINUTE);
      await advance(MINUTE);
    }
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });

  test("a delivery that pauses is not lost either, nor a sweep whose messages are refused", async () => {
    silent();
    const home = await homeOn("twitter");
    await sandbox.fault("twitter", "publish", "error");
    const sent = await send(home, shapeOf("twitter", "a text"));
    const message = queue.takeDue();
    queue.refuse(1);
    if (message) await queue.deliver(message);
    await advance(MINUTE);
    queue.refuse(1);
    await cron();
    await cron();
    await queuesIdle();
    expect(await liveOf(sent)).toHaveLength(1);
  });
});

describe("slow media", () => {
  test("one file a step: a thread of slow pictures gets on with every delivery", async () => {
    const home = await homeOn("twitter");
    const files = ["square.jpg", "landscape.jpg", "square.png", "photo.webp"];
    const shape = { name: "many", type: "thread", items: [files, files, files, files] } as const;
    altering(async (request) => {
      if (!request.url.includes("/_media/") || request.headers.get("user-agent") !== "Belfry/1.0") return null;
      await advance(9 * SECOND);
      return null;
    });
    const sent = await send(home, shape);
    await queuesIdle(2 * 3_600_000);
    expect((await outcomeOf(sent)).state).toBe("published");
    expect(queue.deliveriesOf([`publish:${sent.id}`])).toBeLessThanOrEqual(6);
    // Each file is probed, and read for its upload: no file is probed twice.
    expect(requests("/_media/").length).toBeLessThanOrEqual(4 * 16);
  });

  test("a delivery that dies between two files goes on with the second", async () => {
    silent();
    const home = await homeOn("twitter");
    let seen = 0;
    altering((request) => {
      if (!request.url.includes("/_media/")) return null;
      seen += 1;
      if (seen === 2) failStatements(/job_steps/, 2);
      return null;
    });
    const sent = await send(home, shapeOf("twitter", "images in order"));
    await queuesIdle();
    await advance(2 * MINUTE);
    await cron();
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
  });
});

describe("times", () => {
  async function scheduled(project: Project, channel: Parameters<typeof createPost>[1], inSeconds: number) {
    const due = Math.ceil((Date.now() + inSeconds * SECOND) / MINUTE) * MINUTE;
    const text = `due ${crypto.randomUUID()}`;
    const body = { caption_text: text, publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
    return { due, text, id: await createPost(project, channel, body) };
  }

  /**
   * Whether it was published in the second in which it was due, as messages are delayed by whole seconds. The
   * service's clock is stopped in `atOnce`.
   */
  async function wentOutAt(id: number, due: number): Promise<boolean> {
    const at = await env.DB.prepare("SELECT published_at FROM posts WHERE id = ?")
      .bind(id)
      .first<number>("published_at");
    return at !== null && at >= due && at < due + SECOND;
  }

  test("a message that comes early is not spent: the post is published at its second", async () => {
    const { project, channel } = await projectWith("twitter");
    const { due, text, id } = await scheduled(project, channel, 20);
    const early = queue.messages.find((message) => message.type === "job" && message.key === `publish:${id}`);
    if (!early) throw new Error("No message is on its way.");
    queue.loseAll();
    await advanceTo(due - 8 * SECOND);
    await queue.deliver(early);
    expect(await sandbox.postsWith(text)).toEqual([]);
    await atOnce(queuesIdle);
    expect(await wentOutAt(id, due)).toBe(true);
  });

  test("a message that comes much too early leaves the post to the sweep", async () => {
    const { project, channel } = await projectWith("twitter");
    const { due, id } = await scheduled(project, channel, 1_200);
    await queue.deliver({ type: "job", key: `publish:${id}` });
    await atOnce(async () => {
      for (let at = Math.floor(Date.now() / MINUTE) * MINUTE; at < due; at += MINUTE) {
        await advanceTo(at);
        await cron();
        await queuesIdle(MINUTE - SECOND);
      }
      await queuesIdle();
    });
    expect(await wentOutAt(id, due)).toBe(true);
  });

  test("a time that is changed after the sweep has sent its message holds", async () => {
    const { project, channel } = await projectWith("twitter");
    const { due, text, id } = await scheduled(project, channel, 600);
    await advanceTo(due - 30 * SECOND);
    await cron();
    const later = due + 5 * MINUTE;
    const body = { schedule_time: wallClock(later), time_zone: "UTC" };
    expect((await project.call("PUT", `/social/update-post/${id}`, { body })).status).toBe(200);
    for (let at = due; at < later; at += MINUTE) {
      await queuesIdle(MINUTE - SECOND);
      await advanceTo(at);
      await cron();
    }
    expect(await sandbox.postsWith(text)).toEqual([]);
    await atOnce(queuesIdle);
    expect(await wentOutAt(id, later)).toBe(true);
  });
});

describe("a backlog", () => {
  test("is not loss: what waits for minutes is delivered once, the oldest first", async () => {
    const { project, channel } = await projectWith("twitter");
    const due = Math.ceil((Date.now() + 10 * MINUTE) / MINUTE) * MINUTE;
    const ids: number[] = [];
    for (let i = 0; i < 150; i++) {
      // A token has a hundred requests a second.
      if (i % 50 === 49) await advance(2 * SECOND);
      const caption_text = `backlog ${i} ${crypto.randomUUID()}`;
      const body = { caption_text, publish_mode: "scheduled", schedule_time: wallClock(due), time_zone: "UTC" };
      ids.push(await createPost(project, channel, body));
    }
    await settings({ twitter_rate_limit_scale: 1_000 });
    await advanceTo(due - 10 * SECOND);
    await cron();
    // So many a minute that the last ones wait for six.
    for (let minute = 0; minute < 7; minute++) {
      await advanceTo(due + minute * MINUTE);
      for (let i = 0; i < 25; i++) {
        const message = queue.takeDue();
        if (message) await queue.deliver(message);
      }
      await cron();
    }
    await queuesIdle();
    const query = "SELECT count(*) AS count FROM posts WHERE state = 'published' AND id BETWEEN ? AND ?";
    expect(await env.DB.prepare(query).bind(ids[0], ids.at(-1)).first()).toEqual({ count: ids.length });
    const deliveries = queue.deliveriesOf(ids.map((id) => `publish:${id}`));
    expect(deliveries).toBeLessThanOrEqual(1.05 * ids.length);
  });

  test("messages that are lost while others arrive are sent again within two minutes", async () => {
    const { project, channel } = await projectWith("facebook");
    const text = `lost ${crypto.randomUUID()}`;
    const id = await createPost(project, channel, { caption_text: text });
    queue.loseAll();
    await advance(MINUTE);
    await createPost(project, channel, { caption_text: `other ${crypto.randomUUID()}` });
    await queuesIdle();
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });
});

const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string() })) });

describe("rows that cannot be read", () => {
  const BROKEN = [
    ["a step of the journal", "UPDATE job_steps SET state = 'done', result = '{oops' WHERE job_key = ?1"],
    [
      "a step in another shape",
      `UPDATE job_steps SET result = '{"what":1}' WHERE job_key = ?1 AND name LIKE 'commit:%'`,
    ],
    ["the post's content", "UPDATE posts SET media_urls = '[\"' WHERE id = CAST(substr(?1, 9) AS INTEGER)"],
  ] as const;

  test.for(BROKEN)("%s: the post ends, unconfirmed, and other jobs go on", async ([, query]) => {
    silent();
    const home = await homeOn("twitter");
    await sandbox.fault("twitter", "publish", "accept_then_drop");
    const sent = await send(home, shapeOf("twitter", "a text"));
    const first = queue.takeDue();
    if (first) await queue.deliver(first);
    await env.DB.prepare(query).bind(`publish:${sent.id}`).run();
    if (query.includes("commit")) {
      await env.DB.prepare("UPDATE job_steps SET state = 'done' WHERE job_key = ?").bind(`publish:${sent.id}`).run();
    }
    const other = await send(home, shapeOf("twitter", "a text"));
    for (let minute = 0; minute < 20; minute++) {
      await queuesIdle(MINUTE);
      await advance(MINUTE);
      await cron();
    }
    const { STATUS, error } = await findPost(home.project, sent.id);
    expect({ STATUS, error }).toEqual({ STATUS: "failed", error: expect.stringContaining("may have been published") });
    const events = await home.project.call("GET", `/social/get-post-events/${sent.id}`);
    expect(Events.parse(events.body).events.at(-1)).toMatchObject({ type: "post.failed" });
    expect((await outcomeOf(other)).state).toBe("published");
  });

  test("one overdue job that cannot be read does not hold up the sweep for those behind it", async () => {
    silent();
    const home = await homeOn("twitter");
    const sents: Sent[] = [];
    for (let i = 0; i < 3; i++) sents.push(await send(home, shapeOf("twitter", "a text")));
    queue.loseAll();
    await env.DB.prepare("UPDATE posts SET thread = '[' WHERE id = ?").bind(sents[0]?.id).run();
    await advance(7 * 3_600_000);
    for (let minute = 0; minute < 12; minute++) {
      await cron();
      queue.loseAll();
      await advance(2 * MINUTE);
    }
    const states = await Promise.all(sents.map(async ({ id }) => (await findPost(home.project, id)).STATUS));
    expect(states).toEqual(["failed", "failed", "failed"]);
  });

  test("a journal of another version: what was prepared is done again, an unsettled act ends unconfirmed", async () => {
    const home = await homeOn("twitter");
    const stamp = (sent: Sent) =>
      env.DB.prepare("UPDATE jobs SET journal_version = 7 WHERE key = ?").bind(`publish:${sent.id}`).run();
    const prepared = await send(home, shapeOf("twitter", "a video"));
    const first = queue.takeDue();
    if (first) await queue.deliver(first);
    await stamp(prepared);
    await queuesIdle();
    expect((await outcomeOf(prepared)).state).toBe("published");

    await sandbox.fault("twitter", "publish", "accept_then_drop");
    const unsure = await send(home, shapeOf("twitter", "a text"));
    const second = queue.takeDue();
    if (second) await queue.deliver(second);
    await stamp(unsure);
    await queuesIdle();
    expect(await outcomeOf(unsure)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("may have been published"),
    });
  });

  test("a kind of job that this version does not know waits, and ends at its deadline", async () => {
    const now = Date.now();
    await env.DB.prepare(
      "INSERT INTO jobs (key, kind, project_id, subject_id, state, run_at, deadline_at, created_at) VALUES ('juggle:1', 'juggle', 1, 1, 'open', ?1, ?2, ?1)",
    )
      .bind(now, now + 10 * MINUTE)
      .run();
    for (let minute = 0; minute < 12; minute++) {
      await cron();
      await queuesIdle(MINUTE);
      await advance(MINUTE);
    }
    const row = await env.DB.prepare("SELECT state FROM jobs WHERE key = 'juggle:1'").first();
    expect(row).toEqual({ state: "done" });
  });
});

/** Of each platform that lists late: something that it does not itself refuse to take twice. */
const LATE = NAMES.flatMap((name) => {
  const { listsLate } = factsOf(name);
  const lists = platforms[name]?.posts.lists;
  const shape = planFor(name).typical.find((one) => lists && patienceSeconds(lists, one, SAMPLES) > 0);
  return listsLate && shape ? [[name, shape, listsLate] as const] : [];
});

test.for(LATE)(
  "%s: it is not sent again before the platform's lists have caught up, and the timeline says so",
  async ([name, shape, listsLate]) => {
    const home = await homeOn(name);
    await settings(listsLate(9 * MINUTE));
    await sandbox.fault(name, "publish", "accept_then_drop");
    const sent = await send(home, shape);
    await queuesIdle();
    await settings(listsLate(0));
    const outcome = await outcomeOf(sent);
    expect(outcome).toMatchObject({ state: "published" });
    expect(outcome.live).toHaveLength(1);
    const events = Events.parse((await home.project.call("GET", `/social/get-post-events/${sent.id}`)).body).events;
    expect(events.map(({ message }) => message).join(" ")).toContain("not sent again before");
  },
);
