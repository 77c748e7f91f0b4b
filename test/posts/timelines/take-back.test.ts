import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { sweep } from "../../../src/entry/dispatch.ts";
import { createDeps } from "../../../src/service/deps.ts";
import { arm, disarm, makeBucketMortal, makeMortal } from "../../contract/mortal.ts";
import { advance } from "../../support/clock.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { uniquely } from "../../support/random.ts";
import { addHook, pass, receiver } from "../../support/receiver.ts";
import { DAY, SECOND } from "../../support/times.ts";
import { createPost, type Project, projectWith } from "../../support/world.ts";
import { answersOf, copyOf, eventsOf, movedOf, pagesOf } from "./old-posts.ts";

/** In a project with webhooks, a replay may name an event that is in the archive. */

async function hooked() {
  const { project, channel } = await projectWith("facebook");
  const { id: hook, path } = await addHook(project);
  // Until every isolate knows of the webhook.
  await advance(31 * SECOND);
  return { project, channel, hook, path };
}

const Replayed = z.object({ replayed: z.number(), next_cursor: z.string().nullable() });

/** All messages of the time up to now, in as many calls as that takes. */
async function replay(project: Project, hook: number, from: number): Promise<number> {
  let [count, cursor]: [number, string | null] = [0, null];
  do {
    const body: Record<string, unknown> = {
      from: new Date(from).toISOString(),
      ...(cursor === null ? {} : { cursor }),
    };
    const answer = await project.call("POST", `/social/replay-webhook/${hook}`, { body });
    const { replayed, next_cursor } = Replayed.parse(answer.body);
    count += replayed;
    cursor = next_cursor;
  } while (cursor !== null);
  return count;
}

/** Events of a plain post that webhooks receive. */
const PUBLIC = 2;

const textsAt = (path: string): string[] =>
  receiver
    .at(path)
    .map(({ text }) => text)
    .toSorted();

test("a replay after a month sends the same messages as at first", async () => {
  const { project, channel, hook, path } = await hooked();
  const begin = Date.now() - SECOND;
  const ids: number[] = [];
  for (const number of [1, 2, 3]) {
    ids.push(await createPost(project, channel, { caption_text: uniquely("Replayed"), external_id: `mine-${number}` }));
    await queuesIdle();
  }
  await pass();
  const sent = textsAt(path);
  expect(sent).toHaveLength(6);
  await advance(15 * DAY);
  await cron();
  expect(await eventsOf(ids)).toBe(9);
  await advance(17 * DAY);
  const before = await answersOf(project, ids);
  await cron();
  await queuesIdle();
  expect([await eventsOf(ids), await movedOf(ids)]).toEqual([0, 3]);
  expect(await answersOf(project, ids)).toEqual(before);
  receiver.reset();
  // A range before the posts leaves them where they are.
  const range = { from: new Date(begin - DAY).toISOString(), to: new Date(begin).toISOString() };
  await project.call("POST", `/social/replay-webhook/${hook}`, { body: range });
  expect(await movedOf(ids)).toBe(3);
  expect(await replay(project, hook, begin)).toBeGreaterThanOrEqual(6);
  await pass();
  await pass();
  expect(textsAt(path)).toEqual(expect.arrayContaining(sent));
  expect(await answersOf(project, ids)).toEqual(before);
  expect([await eventsOf(ids), await movedOf(ids)]).toEqual([9, 0]);
  await advance(3 * DAY);
  await cron();
  expect(await pagesOf(project)).toEqual([]);
  expect(await answersOf(project, ids)).toEqual(before);
});

test("a replay that dies at any call, or loses an answer, is complete when it is repeated", async () => {
  const { project, channel, hook } = await hooked();
  const begin = Date.now() - SECOND;
  const id = await createPost(project, channel, { caption_text: uniquely("Mortal") });
  await queuesIdle();
  await pass();
  const { results: timeline } = await env.DB.prepare("SELECT * FROM events WHERE subject = 'post' AND subject_id = ?")
    .bind(id)
    .all<Record<string, unknown>>();
  await advance(33 * DAY);
  makeMortal();
  makeBucketMortal();
  const walk = async () => {
    await env.DB.prepare("DELETE FROM sweep_notes WHERE name = 'timelines'").run();
    await sweep(createDeps(bindings, { test: true }));
  };
  let posts = 1;
  let hasEnded = false;
  for (let at = 1; !hasEnded; at++) {
    for (const fate of ["dies", "loses the answer"] as const) {
      const later = posts++ * 10;
      const copied = timeline.map((event) => ({ ...event, id: Number(event.id) + later }));
      const copies = [await copyOf(id, posts, copied)];
      const before = await answersOf(project, copies);
      await walk();
      expect([at, await movedOf(copies)]).toEqual([at, 1]);
      arm({ [at]: fate });
      await replay(project, hook, begin).catch(() => 0);
      hasEnded = disarm() < at;
      expect(await answersOf(project, copies)).toEqual(before);
      expect(await replay(project, hook, begin)).toBeGreaterThanOrEqual(posts * PUBLIC);
      expect([at, await movedOf(copies), await eventsOf(copies)]).toEqual([at, 0, timeline.length]);
      expect(await answersOf(project, copies)).toEqual(before);
    }
  }
  // More pages than one request takes back.
  const many: number[] = [];
  for (let page = 0; page < 5; page++) {
    const later = posts++ * 10;
    many.push(
      await copyOf(
        id,
        posts,
        timeline.map((event) => ({ ...event, id: Number(event.id) + later })),
      ),
    );
    await walk();
  }
  expect(await movedOf(many)).toBe(5);
  expect(await replay(project, hook, begin)).toBeGreaterThanOrEqual(posts * PUBLIC);
  expect([await movedOf(many), await eventsOf(many)]).toEqual([0, 5 * timeline.length]);
}, 120_000);
