import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import { advance } from "../support/clock.ts";
import {
  addHook,
  deliveriesOf,
  happen,
  hookedProject,
  pass,
  receiver,
  verified,
  webhookOf,
} from "../support/receiver.ts";
import { DAY } from "../support/times.ts";
import { call, issueToken, Project } from "../support/world.ts";

/** Webhooks as their project manages them. What is sent, and when, is in deliveries/deliveries.test.ts. */

const URL = "https://hooks.test/a";

beforeEach(() => receiver.reset());

describe("managing webhooks", () => {
  test("a webhook is made, listed, changed and deleted; its secret is reported once", async () => {
    const project = await Project.create();
    const made = await project.call("POST", "/social/create-webhook", {
      body: { url: URL, description: "Ours", events: ["post.failed"] },
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        webhook: { url: URL, description: "Ours", events: ["post.failed"], status: "enabled", disabled_reason: null },
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      },
    });
    const { id } = z.object({ webhook: z.object({ id: z.number() }) }).parse(made.body).webhook;
    const changed = await project.call("PUT", `/social/update-webhook/${id}`, {
      body: { description: null, events: null, status: "disabled" },
    });
    expect(changed.body).toMatchObject({
      webhook: { url: URL, description: null, events: null, status: "disabled", disabled_reason: "on_request" },
    });
    const listed = await project.call("GET", "/social/get-webhooks");
    expect(listed.body).toMatchObject({ webhooks: [{ id, status: "disabled" }] });
    expect(JSON.stringify([listed.body, changed.body, await webhookOf(project, id)])).not.toContain("whsec_");
    expect(await project.call("DELETE", `/social/delete-webhook/${id}`)).toMatchObject({ status: 200 });
    for (const [method, path] of [
      ["GET", `get-webhook/${id}`],
      ["DELETE", `delete-webhook/${id}`],
      ["GET", `get-webhook-deliveries/${id}`],
      ["POST", `test-webhook/${id}`],
    ] as const) {
      expect([path, (await project.call(method, `/social/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test.for([
    ["http://hooks.test/a", "must begin with https://."],
    ["https://10.0.0.1/a", "must be a public address"],
    ["https://[::ffff:10.0.0.1]/", "must be a public address"],
    ["https://metadata.internal/", "must be a public address"],
    ["https://user:word@hooks.test/", "user name or password"],
    ["hooks", "must be an absolute URL"],
  ])("%s is refused as an address", async ([url, sentence]) => {
    const project = await Project.create();
    for (const [method, path] of [
      ["POST", "create-webhook"],
      ["PUT", `update-webhook/${(await addHook(project)).id}`],
    ] as const) {
      const { status, body } = await project.call(method, `/social/${path}`, { body: { url } });
      expect([path, status, JSON.stringify(body)]).toEqual([path, 422, expect.stringContaining(sentence ?? "")]);
    }
  });

  test("an event that there is not is refused by name", async () => {
    const project = await Project.create();
    const answer = await project.call("POST", "/social/create-webhook", { body: { url: URL, events: ["post.eaten"] } });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining("events.0")]);
  });

  test("a project has twenty of them, and room again after one is deleted", async () => {
    const project = await Project.create();
    const [first] = await Promise.all(Array.from({ length: 20 }, () => addHook(project)));
    const tooMany = await project.call("POST", "/social/create-webhook", { body: { url: URL } });
    expect(tooMany).toMatchObject({ status: 429, body: { code: "quota_exceeded" } });
    await project.call("DELETE", `/social/delete-webhook/${first?.id}`);
    expect(await addHook(project)).toMatchObject({ id: expect.any(Number) });
  });

  test("another project's are not there, and a token needs the permission", async () => {
    const { project, id } = await hookedProject();
    await happen(project, 1);
    await pass();
    const [delivery] = await deliveriesOf(project, id);
    const stranger = await Project.create();
    const others = PERMISSIONS.filter((permission) => permission !== "manage-webhooks");
    const { token } = await issueToken(project.name, { permissions: others });
    for (const [method, path, body] of [
      ["GET", `get-webhook/${id}`, undefined],
      ["PUT", `update-webhook/${id}`, { status: "disabled" }],
      ["DELETE", `delete-webhook/${id}`, undefined],
      ["POST", `rotate-webhook-secret/${id}`, undefined],
      ["POST", `test-webhook/${id}`, undefined],
      ["GET", `get-webhook-deliveries/${id}`, undefined],
      ["GET", `get-delivery/${delivery?.id}`, undefined],
      ["POST", `replay-delivery/${delivery?.id}`, undefined],
      ["POST", `replay-webhook/${id}`, { from: "2020-01-01" }],
    ] as const) {
      const options = body === undefined ? {} : { body };
      expect([path, (await stranger.call(method, `/social/${path}`, options)).status]).toEqual([path, 404]);
      expect([path, (await call(method, `/social/${path}`, { token, ...options })).status]).toEqual([path, 403]);
    }
    expect(await webhookOf(project, id)).toMatchObject({ status: "enabled" });
  });

  test("a repeat with the same Idempotency-Key makes one webhook, and reports its secret again", async () => {
    const project = await Project.create();
    const headers = { "Idempotency-Key": "once" };
    const first = await project.call("POST", "/social/create-webhook", { headers, body: { url: URL } });
    const again = await project.call("POST", "/social/create-webhook", { headers, body: { url: URL } });
    expect(again.body).toEqual(first.body);
    expect((await project.call("GET", "/social/get-webhooks")).body).toMatchObject({ webhooks: [{}] });
  });
});

describe("a secret that is rotated", () => {
  test("signs with the one before for a day", async () => {
    const { project, id, path, secret } = await hookedProject();
    const rotated = await project.call("POST", `/social/rotate-webhook-secret/${id}`);
    const { secret: fresh } = z.object({ secret: z.string() }).parse(rotated.body);
    expect(fresh).not.toBe(secret);
    await happen(project, 1);
    await pass();
    const [both] = receiver.at(path);
    if (!both) throw new Error("Nothing came.");
    expect(verified(secret, both)).toEqual(verified(fresh, both));
    await advance(DAY + 1_000);
    await happen(project, 1);
    await pass();
    const last = receiver.at(path).at(-1);
    if (!last || last === both) throw new Error("Nothing came.");
    expect(verified(fresh, last)).toMatchObject({ type: "post.removed" });
    expect(() => verified(secret, last)).toThrow("No matching signature");
  });
});

describe("a test event", () => {
  test("comes at once, whatever the webhook wants, with what the receiver answered", async () => {
    const { project, id, path, secret } = await hookedProject({ events: ["post.failed"] });
    receiver.answer(path, () => new Response("x".repeat(5_000), { status: 201 }));
    const requested = await project.call("POST", `/social/test-webhook/${id}`);
    await pass();
    const [got] = receiver.at(path);
    if (!got) throw new Error("Nothing came.");
    expect(verified(secret, got)).toMatchObject({ type: "webhook.test", data: { webhook_id: id } });
    const { delivery_id } = z.object({ delivery_id: z.number() }).parse(requested.body);
    expect(await deliveriesOf(project, id)).toMatchObject([
      {
        id: delivery_id,
        status: "delivered",
        request_body: got.text,
        attempts: [{ status_code: 201, response_body: "x".repeat(1_024), error: null }],
      },
    ]);
  });

  test("is refused while the webhook is disabled", async () => {
    const { project, id } = await hookedProject();
    await project.call("PUT", `/social/update-webhook/${id}`, { body: { status: "disabled" } });
    const answer = await project.call("POST", `/social/test-webhook/${id}`);
    expect(answer).toMatchObject({ status: 422, body: { code: "not_changeable" } });
  });
});

test("the document has a schema for each type of message", async () => {
  const { body } = await call("GET", "/openapi.json");
  const { webhooks } = z.object({ webhooks: z.record(z.string(), z.unknown()) }).parse(body);
  expect(Object.keys(webhooks)).toEqual(
    expect.arrayContaining([
      ...["created", "scheduled", "published", "failed", "deleted"].map((name) => `post.${name}`),
      ...["connected", "expiring", "reconnect_needed", "disconnected"].map((name) => `channel.${name}`),
      "automation.replied",
      "webhook.disabled",
    ]),
  );
  expect(webhooks["post.failed"]).toMatchObject({
    post: { requestBody: { content: { "application/json": { schema: { properties: { data: expect.anything() } } } } } },
  });
});
