import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import type { QueueMessage } from "../../src/jobs/messages.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { answering, quiet } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { receiver, verified } from "../support/receiver.ts";
import { createPost, Project } from "../support/world.ts";

/** Operators are notified of what needs them, by e-mail and by a signed webhook. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAIL_URL = "https://mail.test/send";
const SECRET = `whsec_${btoa("0123456789abcdefghijklmn")}`;
const PATH = "/operators";
const MAIL = { MAIL_FROM: "belfry@example.com", MAIL_URL, MAIL_TOKEN: "the mail token" };
const EMAIL = { ...MAIL, OPERATOR_EMAIL: "ops@example.com" };
const HOOK = { OPERATOR_WEBHOOK: `https://hooks.test${PATH}`, OPERATOR_WEBHOOK_SECRET: SECRET };
/** Bindings of their own: the service reads their configuration once. */
const withVariables = (variables: object): Bindings => Object.assign({ ...bindings }, variables);

const Mail = z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() });
const Told = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.object({
    alerts: z.array(
      z.object({
        event: z.string(),
        subject: z.string(),
        message: z.string(),
        fix: z.string(),
        first_at: z.string(),
        last_at: z.string(),
      }),
    ),
  }),
});
let mails: Promise<z.output<typeof Mail>>[] = [];
let refusals = 0;

beforeEach(async () => {
  quiet();
  receiver.reset();
  await env.DB.batch([
    env.DB.prepare("DELETE FROM operator_alerts"),
    env.DB.prepare("DELETE FROM recurring WHERE kind = 'alert'"),
  ]);
  mails = [];
  refusals = 0;
  answering((request) => {
    if (request.url !== MAIL_URL) return null;
    if (refusals-- > 0) return new Response(null, { status: 503 });
    mails.push(request.clone().json().then(Mail.parse));
    return new Response(null, { status: 202 });
  });
});

/** A message that every delivery failed for arrives in the queue of dead letters. */
async function deadLetter(given: Bindings, key = "publish:1"): Promise<void> {
  const body: QueueMessage = { type: "job", key };
  const message = { id: crypto.randomUUID(), timestamp: new Date(Date.now()), body, attempts: 1 };
  const context = createExecutionContext();
  await worker.queue(createMessageBatch<QueueMessage>("belfry-jobs-dead", [message]), given, context);
  await waitOnExecutionContext(context);
}

/** Lets so much time pass, with a sweep and its deliveries in each step. */
async function pass(ms: number, given: Bindings, step = MINUTE): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; await advance(step)) {
    await cron(given);
    await queuesIdle(step - 1, given);
  }
}

const toldAt = (path = PATH) => receiver.at(path).map((got) => Told.parse(verified(SECRET, got)).data.alerts);

describe("operators", () => {
  test("are notified of a platform that refuses our app, by e-mail and by a signed webhook", async ({ expect }) => {
    const given = withVariables({ ...EMAIL, ...HOOK });
    const project = await Project.create();
    const [channel_id = 0] = await project.connect("twitter");
    answering((request) =>
      new URL(request.url).pathname.endsWith("/2/tweets") && request.method === "POST"
        ? Response.json({ title: "CreditsDepleted", detail: "no credits" }, { status: 402 })
        : null,
    );
    await createPost(project, { channel_type: "twitter", channel_id }, { caption_text: "A secret plan" });
    await pass(3 * MINUTE, given);
    const [mail, ...others] = await Promise.all(mails);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      from: "belfry@example.com",
      to: "ops@example.com",
      subject: "Belfry: platform_blocked (twitter)",
      text: expect.stringMatching(/twitter refuses our app[\s\S]*npm run doctor/),
    });
    const [alerts, ...more] = toldAt();
    expect(more).toEqual([]);
    expect(alerts).toEqual([expect.objectContaining({ event: "platform_blocked", subject: "twitter" })]);
    const [got] = receiver.at(PATH);
    expect(got?.headers["webhook-id"]).toMatch(/^alert_/);
    expect(`${mail?.text}${got?.text}`).not.toContain("A secret plan");
  });

  test("hear of the same thing once in six hours, and of everything that is due in one message", async ({ expect }) => {
    const given = withVariables(HOOK);
    await deadLetter(given, "reply:7");
    await deadLetter(given, "publish:7");
    await deadLetter(given, "publish:8");
    await pass(2 * MINUTE, given);
    expect(toldAt().map((alerts) => alerts.map(({ event, subject }) => `${event} ${subject}`))).toEqual([
      ["message_dead_lettered reply", "message_dead_lettered publish"],
    ]);
    for (let hour = 0; hour < 5; hour++) {
      await deadLetter(given, "publish:9");
      await pass(HOUR, given, 20 * MINUTE);
    }
    expect(receiver.at(PATH)).toHaveLength(1);
    await pass(2 * HOUR, given, 20 * MINUTE);
    const [, again, ...more] = toldAt();
    expect(more).toEqual([]);
    expect(again?.map(({ subject }) => subject)).toEqual(["publish"]);
    expect(Date.parse(again?.[0]?.last_at ?? "")).toBeGreaterThan(Date.parse(again?.[0]?.first_at ?? ""));
    // Nothing happens any more: no task is left behind.
    await pass(HOUR, given, 20 * MINUTE);
    expect(receiver.at(PATH)).toHaveLength(2);
    const left = await env.DB.prepare("SELECT count(*) AS count FROM recurring WHERE kind = 'alert'").first("count");
    expect(left).toBe(0);
  });

  test("hear of another kind after five minutes, also while a repetition waits for its six hours", async ({
    expect,
  }) => {
    const given = withVariables(HOOK);
    await deadLetter(given, "publish:7");
    await pass(2 * MINUTE, given);
    await deadLetter(given, "publish:8");
    await deadLetter(given, "reply:7");
    await pass(2 * MINUTE, given);
    expect(receiver.at(PATH)).toHaveLength(1);
    await pass(4 * MINUTE, given);
    const subjects = () => toldAt().map((alerts) => alerts.map(({ subject }) => subject));
    expect(subjects()).toEqual([["publish"], ["reply"]]);
    await pass(2 * HOUR, given, 20 * MINUTE);
    await deadLetter(given, "generate:7");
    await pass(6 * MINUTE, given);
    expect(subjects()).toEqual([["publish"], ["reply"], ["generate"]]);
  });

  test("hear once a day of a platform that has no credits left, while its posts wait", async ({ expect }) => {
    const given = withVariables(HOOK);
    const project = await Project.create();
    const [channel_id = 0] = await project.connect("twitter");
    answering((request) =>
      new URL(request.url).pathname.endsWith("/2/tweets") && request.method === "POST"
        ? Response.json({ title: "CreditsDepleted", detail: "no credits" }, { status: 402 })
        : null,
    );
    await createPost(project, { channel_type: "twitter", channel_id }, { caption_text: "One" });
    await pass(23 * HOUR, given, 20 * MINUTE);
    expect(toldAt()).toHaveLength(1);
    expect(toldAt()[0]).toEqual([
      expect.objectContaining({
        event: "platform_blocked",
        subject: "twitter",
        message: expect.stringContaining("plan or credits"),
      }),
    ]);
    await createPost(project, { channel_type: "twitter", channel_id }, { caption_text: "Two" });
    await pass(3 * HOUR, given, 20 * MINUTE);
    expect(toldAt()).toHaveLength(2);
  });

  test("get what their server refused again, with the same id and body", async ({ expect }) => {
    const given = withVariables({ ...EMAIL, ...HOOK });
    receiver.answer(PATH, 500);
    refusals = 1;
    await deadLetter(given);
    await pass(MINUTE, given);
    expect(receiver.at(PATH)).toHaveLength(1);
    expect(mails).toEqual([]);
    receiver.answer(PATH, 200);
    await pass(8 * MINUTE, given);
    const [first, second, ...others] = receiver.at(PATH);
    expect(others).toEqual([]);
    expect([second?.id, second?.text]).toEqual([first?.id, first?.text]);
    expect(await Promise.all(mails)).toHaveLength(1);
  });

  test("are not notified if nothing is configured: nothing is stored", async ({ expect }) => {
    // An address alone sends nothing: no mail server is set.
    for (const variables of [{}, { OPERATOR_EMAIL: "ops@example.com" }, { OPERATOR_WEBHOOK: HOOK.OPERATOR_WEBHOOK }]) {
      const given = withVariables(variables);
      await deadLetter(given);
      await pass(MINUTE, given);
    }
    expect(await env.DB.prepare("SELECT count(*) AS count FROM operator_alerts").first("count")).toBe(0);
    expect(receiver.at(PATH)).toEqual([]);
    expect(mails).toEqual([]);
  });
});
