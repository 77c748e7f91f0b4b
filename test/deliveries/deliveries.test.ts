import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { ProjectId } from "../../src/core/ids.ts";
import { idOf } from "../../src/core/ids.ts";
import { writeTogether } from "../../src/db/client.ts";
import { openMessage } from "../../src/deliveries/single.ts";
import { selectMessagesAbout } from "../../src/deliveries/store.ts";
import { enqueueJobs } from "../../src/jobs/enqueue.ts";
import { createDeps } from "../../src/service/deps.ts";
import { dispatchEvents } from "../../src/webhooks/dispatch-events.ts";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { advance } from "../support/clock.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import {
  addHook,
  deliveriesOf,
  happen,
  hookedProject,
  pass,
  projectIdOf,
  receiver,
  verified,
  wait,
  webhookOf,
} from "../support/receiver.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../support/times.ts";
import { createPost, projectWith } from "../support/world.ts";

/** What webhooks receive, when, and how deliveries end, seen from a receiver. */

beforeEach(async () => {
  receiver.reset();
  disarm();
  // What the test before has left failing would be tried again in every sweep of this one.
  await env.DB.batch(
    ["webhooks", "webhook_deliveries", "recurring", "jobs"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
});

/** The things that messages at a path are about, sorted: messages come in no certain order. */
const shown = (path: string): number[] =>
  receiver
    .at(path)
    .map(({ text }): number => JSON.parse(text).data.post_id)
    .toSorted((a, b) => a - b);
const Message = z.looseObject({ id: z.string(), revision: z.number() });
const numbers = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);

describe("without failures", () => {
  test("the events of a post are sent within seconds, signed, with a revision that grows", async () => {
    const { project, channel } = await projectWith("facebook");
    const { path, secret } = await addHook(project);
    // Until every isolate knows of the webhook.
    await advance(31 * SECOND);
    await createPost(project, channel, { caption_text: "Hi" });
    await queuesIdle(10 * SECOND);
    const messages = receiver.at(path).map((one) => Message.parse(verified(secret, one)));
    expect(messages.toSorted((a, b) => a.revision - b.revision)).toMatchObject([
      { type: "post.created", data: { post_id: expect.any(Number), publish_mode: "now" } },
      { type: "post.published", data: { permalink: expect.any(String) } },
    ]);
    expect(messages.map(({ id }) => id)).toEqual(receiver.idsAt(path));
  });

  test("each event comes once to those who want it", async () => {
    const { project, id, path } = await hookedProject();
    const other = await addHook(project, { events: ["post.failed"] });
    await happen(project, 150);
    await happen(project, 5, 200, "post.processing");
    await pass(10 * SECOND);
    expect(shown(path)).toEqual(numbers(150));
    expect(shown(other.path)).toEqual([]);
    expect(new Set(receiver.idsAt(path)).size).toBe(150);
    expect(await deliveriesOf(project, id, "&status=delivered")).toHaveLength(150);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE state = 'open'").first()).toEqual({ n: 0 });
  });

  test("a project without webhooks leaves nothing behind", async () => {
    const { project } = await projectWith("facebook");
    await happen(project, 10);
    const id = await projectIdOf(project);
    expect(
      await env.DB.prepare("SELECT count(*) AS n FROM events WHERE project_id = ? AND outbox IS NOT NULL")
        .bind(id)
        .first(),
    ).toEqual({ n: 0 });
  });
});

describe("an address that fails", () => {
  test("is called eight times by the schedule, with one id, and then no more", async () => {
    const { project, id, path } = await hookedProject();
    receiver.answer(path, 500);
    await happen(project, 1);
    const begun = Date.now();
    await pass(10 * SECOND);
    await wait(7 * MINUTE, MINUTE);
    await wait(40 * MINUTE, 10 * MINUTE);
    await wait(39 * HOUR, 3 * HOUR);
    const after = receiver.at(path).map(({ at }) => (at - begun) / SECOND);
    const planned = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305];
    expect(after).toHaveLength(planned.length);
    // A sweep comes each minute, here each three hours.
    for (const [index, at] of after.entries()) expect(at - (planned[index] ?? 0)).toBeGreaterThanOrEqual(-1);
    expect((after[1] ?? 0) < 10 && (after[2] ?? 0) < 420).toBe(true);
    expect(new Set(receiver.idsAt(path)).size).toBe(1);
    expect(await deliveriesOf(project, id)).toMatchObject([
      {
        status: "failed",
        next_attempt_at: null,
        attempts: numbers(8).map(() => ({ status_code: 500, response_body: "status 500" })),
      },
    ]);
    expect(await webhookOf(project, id)).toMatchObject({ status: "enabled", failing_since: expect.any(String) });
  });

  test("holds up no other message", async () => {
    const { project, id, path } = await hookedProject();
    receiver.answer(path, ({ text }) => new Response(null, { status: text.includes('"post_id":3,') ? 500 : 200 }));
    await happen(project, 10);
    await pass(2 * SECOND);
    expect(shown(path)).toEqual(numbers(10));
    await happen(project, 10, 11);
    await pass(2 * SECOND);
    expect(shown(path)).toEqual(numbers(20));
    receiver.answer(path, 200);
    await wait(6 * MINUTE, MINUTE);
    expect(new Set(shown(path))).toEqual(new Set(numbers(20)));
    expect(await deliveriesOf(project, id, "&status=waiting")).toEqual([]);
  });

  test("that is gone (410) is disabled at once, which the other webhooks of the project receive", async () => {
    const { project, id, path } = await hookedProject();
    const other = await addHook(project, { events: ["webhook.disabled"] });
    receiver.answer(path, 410);
    await happen(project, 3);
    await pass();
    await pass();
    expect(shown(path)).toHaveLength(1);
    expect(await webhookOf(project, id)).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    expect(receiver.at(other.path).map((one) => verified(other.secret, one))).toMatchObject([
      { type: "webhook.disabled", data: { webhook_id: id, reason: "gone" } },
    ]);
    await happen(project, 3);
    await wait(10 * MINUTE, MINUTE);
    expect(shown(path)).toHaveLength(1);
    // What it missed can be had once it is enabled again.
    receiver.answer(path, 200);
    await project.call("PUT", `/social/update-webhook/${id}`, { body: { status: "enabled" } });
    const from = new Date(Date.now() - HOUR).toISOString();
    const replayed = await project.call("POST", `/social/replay-webhook/${id}`, { body: { from } });
    expect(replayed.body).toMatchObject({ replayed: 7, next_cursor: null });
    await pass();
    expect(await deliveriesOf(project, id, "&status=delivered")).toHaveLength(7);
  });

  test("is disabled when nothing has arrived for five days", async () => {
    const { project, id, path } = await hookedProject();
    receiver.answer(path, 503);
    for (let day = 0; day < 5; day++) {
      await happen(project, 1, day + 1);
      await pass();
      expect(await webhookOf(project, id)).toMatchObject({ status: "enabled" });
      await wait(DAY, 6 * HOUR);
    }
    await happen(project, 1, 9);
    await pass();
    expect(await webhookOf(project, id)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    expect(await deliveriesOf(project, id, "&status=waiting")).toEqual([]);
  });

  test("leads nowhere by a redirection", async () => {
    const { project, id, path } = await hookedProject();
    receiver.answer(path, () => new Response(null, { status: 307, headers: { Location: "https://10.0.0.1/" } }));
    await happen(project, 1);
    await pass();
    const [delivery] = await deliveriesOf(project, id);
    expect(delivery).toMatchObject({ status: "waiting", attempts: [{ status_code: 307 }] });
    expect(delivery?.attempts[0]?.error).toContain("redirects");
  });
});

test("one delivery is sent again on request, with its id", async () => {
  const { project, id, path } = await hookedProject();
  await happen(project, 2);
  await pass();
  const [last] = await deliveriesOf(project, id);
  expect(await project.call("POST", `/social/replay-delivery/${last?.id}`)).toMatchObject({ status: 200 });
  await pass();
  expect(shown(path)).toEqual([1, 2, 2]);
  expect(receiver.idsAt(path)[2]).toBe(last?.message_id);
  expect((await deliveriesOf(project, id))[0]?.attempts).toHaveLength(2);
});

test("a delivery that is replayed while it is attempted is sent again after that", async () => {
  const { project, id, path } = await hookedProject();
  let replays = 1;
  receiver.answer(path, async () => {
    if (replays-- > 0) {
      const [delivery] = await deliveriesOf(project, id);
      await advance(SECOND);
      await project.call("POST", `/social/replay-delivery/${delivery?.id}`);
    }
    return new Response(null);
  });
  await happen(project, 1);
  await pass(10 * SECOND);
  await pass(10 * SECOND);
  expect(receiver.at(path)).toHaveLength(2);
  expect(new Set(receiver.idsAt(path)).size).toBe(1);
  expect(await deliveriesOf(project, id)).toMatchObject([{ status: "delivered" }]);
});

test("two dispatchers at once open each delivery once", async () => {
  const { project, id, path } = await hookedProject();
  await happen(project, 120);
  const deps = createDeps(bindings, {});
  await Promise.all([dispatchEvents(deps, null), dispatchEvents(deps, null)]);
  await queuesIdle(10 * SECOND);
  expect(receiver.at(path)).toHaveLength(120);
  expect(await deliveriesOf(project, id, "&status=delivered")).toHaveLength(120);
});

describe("two hundred messages", () => {
  test("to addresses that work, fail, hang, redirect and are slow: all are sent within five minutes", async () => {
    const { project, ...good } = await hookedProject();
    const bad = await addHook(project);
    const moved = await addHook(project);
    const hung = await addHook(project);
    receiver.answer(bad.path, 500);
    receiver.answer(moved.path, () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1/" } }));
    receiver.answer(hung.path, ({ text }) =>
      JSON.parse(text).data.post_id <= 10 ? receiver.hang() : new Response(null),
    );
    await happen(project, 50);
    const begun = Date.now();
    await pass(30 * SECOND);
    for (let sweeps = 0; sweeps < 7; sweeps++) await pass(30 * SECOND);
    expect(shown(good.path)).toEqual(numbers(50));
    expect(Date.now() - begun).toBeLessThan(5 * MINUTE);
    for (const { id, path } of [bad, moved]) {
      expect(new Set(shown(path)).size).toBe(50);
      expect(await deliveriesOf(project, id, "&status=waiting")).toHaveLength(50);
    }
    expect(await deliveriesOf(project, hung.id, "&status=delivered")).toHaveLength(40);
    receiver.answer(bad.path, 200);
    await advance(6 * MINUTE);
    for (let sweeps = 0; sweeps < 2; sweeps++) await pass(MINUTE);
    expect(await deliveriesOf(project, bad.id, "&status=delivered")).toHaveLength(50);
  });
});

describe("a single message", () => {
  const message = (projectId: ProjectId, path: string) => ({
    projectId,
    url: `https://hooks.test${path}`,
    type: "generation.done",
    body: JSON.stringify({ id: "0b9e", status: "done" }),
    about: `generation:${path}`,
    messageId: `gen_${path}`,
  });

  test("is sent once, on the schedule of all, signed with the project's key", async () => {
    const { project } = await hookedProject();
    const { secret } = (await project.call("POST", "/social/rotate-generation-secret")).body as { secret: string };
    const path = `/${crypto.randomUUID()}`;
    receiver.answer(path, 500);
    const deps = createDeps(bindings, {});
    const one = message(idOf<ProjectId>(await projectIdOf(project)), path);
    for (let times = 0; times < 2; times++) {
      await enqueueJobs(deps, (await writeTogether(deps.db, openMessage(deps.db, one, Date.now()))).job);
    }
    await queuesIdle(SECOND);
    expect(receiver.at(path)).toHaveLength(1);
    receiver.answer(path, 200);
    await queuesIdle(10 * SECOND);
    const [, last] = receiver.at(path);
    if (!last) throw new Error("Nothing came.");
    expect(verified(secret, last)).toEqual({ id: "0b9e", status: "done" });
    expect(await selectMessagesAbout(deps.db, one.about)).toMatchObject([
      { state: "delivered", nextAt: null, tries: [{ status: 500 }, { status: 200 }] },
    ]);
    await wait(2 * DAY, 2 * DAY);
    expect(receiver.at(path)).toHaveLength(2);
  });

  test("fails after its last attempt", async () => {
    const { project } = await hookedProject();
    const path = `/${crypto.randomUUID()}`;
    receiver.answer(path, 500);
    const deps = createDeps(bindings, {});
    const one = message(idOf<ProjectId>(await projectIdOf(project)), path);
    await enqueueJobs(deps, (await writeTogether(deps.db, openMessage(deps.db, one, Date.now()))).job);
    await queuesIdle(2 * DAY);
    expect(receiver.at(path)).toHaveLength(8);
    expect(await selectMessagesAbout(deps.db, one.about)).toMatchObject([{ state: "failed", attempts: 8 }]);
  });
});

describe("a process that dies at any act", () => {
  test("loses no event, and sends none under another id", async () => {
    makeMortal();
    for (let death = 1; death <= 20; death++) {
      const { project, id, path } = await hookedProject();
      let failures = 1;
      receiver.answer(
        path,
        ({ text }) => new Response(null, { status: text.includes('"post_id":2,') && failures-- > 0 ? 500 : 200 }),
      );
      await happen(project, 3);
      await cron();
      arm({ [death]: "dies" });
      await queuesIdle(10 * SECOND);
      const acts = disarm();
      await wait(22 * MINUTE, 11 * MINUTE);
      expect([death, [...new Set(shown(path))].toSorted()]).toEqual([death, [1, 2, 3]]);
      expect(new Set(receiver.idsAt(path)).size).toBe(3);
      expect([death, await deliveriesOf(project, id, "&status=delivered")]).toEqual([
        death,
        expect.objectContaining({ length: 3 }),
      ]);
      if (acts < death) break;
    }
  });
});
