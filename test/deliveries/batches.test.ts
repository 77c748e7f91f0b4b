import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { deliveriesOf, happen, hookedProject, pass, receiver, verified, wait, webhookOf } from "../support/receiver.ts";
import { MINUTE, SECOND } from "../support/times.ts";

/** Events in batches, for webhooks with that setting. */

beforeEach(() => {
  receiver.reset();
  disarm();
});

const Batch = z.object({
  type: z.literal("batch"),
  events: z.array(z.object({ id: z.string(), type: z.string(), data: z.object({ post_id: z.number() }) })),
});
const batchesAt = (path: string) => receiver.at(path).map(({ text }) => Batch.parse(JSON.parse(text)).events);
const postsAt = (path: string) =>
  batchesAt(path)
    .flat()
    .map(({ data }) => data.post_id)
    .sort((a, b) => a - b);
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test("a hundred and twenty events take few requests, each signed, and every event arrives once", async () => {
  const { project, id, path, secret } = await hookedProject({ events_per_request: 100 });
  await happen(project, 120);
  await pass(10 * SECOND);
  expect(postsAt(path)).toEqual(numbers(120));
  expect(receiver.at(path).length).toBeLessThanOrEqual(4);
  for (const got of receiver.at(path)) verified(secret, got);
  for (const events of batchesAt(path)) expect(events.length).toBeLessThanOrEqual(100);
  expect(await deliveriesOf(project, id, "&status=delivered")).toHaveLength(120);
});

test("a batch that fails is sent again by the schedule, with the same id", async () => {
  const { project, id, path } = await hookedProject({ events_per_request: 10 });
  receiver.answer(path, 500);
  await happen(project, 5);
  await pass(2 * SECOND);
  receiver.answer(path, 200);
  await wait(2 * MINUTE, MINUTE);
  expect(receiver.at(path)).toHaveLength(2);
  expect(new Set(receiver.idsAt(path)).size).toBe(1);
  expect(await deliveriesOf(project, id, "&status=delivered")).toHaveLength(5);
});

test("the number is shown, can be changed, and is at most a hundred", async () => {
  const { project, id } = await hookedProject();
  expect(await webhookOf(project, id)).toMatchObject({ events_per_request: 1 });
  const put = (events_per_request: number) =>
    project.call("PUT", `/social/update-webhook/${id}`, { body: { events_per_request } });
  expect((await put(101)).status).toBe(422);
  expect((await put(25)).status).toBe(200);
  expect(await webhookOf(project, id)).toMatchObject({ events_per_request: 25 });
});

test("a process that dies at any act of a batch loses no event", async () => {
  makeMortal();
  for (let act = 1; act <= 12; act += 1) {
    const { project, id, path } = await hookedProject({ events_per_request: 100 });
    await happen(project, 3);
    arm({ [act]: "dies" });
    await pass(2 * SECOND);
    disarm();
    await wait(5 * MINUTE, MINUTE);
    expect([...new Set(postsAt(path))], `act ${act}`).toEqual(numbers(3));
    expect(await deliveriesOf(project, id, "&status=delivered"), `act ${act}`).toHaveLength(3);
  }
});
