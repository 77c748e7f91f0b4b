import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { LEAVING, LEAVING_NAMES } from "../../src/webhooks/catalog.ts";
import { sampleData } from "../../src/webhooks/sample.ts";
import { hookedProject, pass, receiver, verified } from "../support/receiver.ts";

beforeEach(() => receiver.reset());

describe("test-webhook with an event", () => {
  test.for(LEAVING_NAMES)("a sample of %s has the documented shape, and every field of it", (type) => {
    const data = sampleData(type);
    const { idKey, detail } = LEAVING[type];
    expect(detail.safeParse(data).error).toBeUndefined();
    expect(Object.keys(data).sort()).toEqual([...new Set([idKey, "message", ...Object.keys(detail.shape)])].sort());
    expect(Number.isSafeInteger(data[idKey]) || typeof data[idKey] === "string").toBe(true);
  });

  test("sends a signed sample, whatever the webhook subscribes to", async () => {
    const { project, id, path, secret } = await hookedProject({ events: ["post.published"] });
    const asked = await project.call("POST", `/social/test-webhook/${id}?event=post.failed`);
    const { delivery_id } = z.object({ delivery_id: z.number() }).parse(asked.body);
    await pass();
    const [got] = receiver.at(path);
    if (!got) throw new Error("Nothing came.");
    expect(got.id).toMatch(/^test_/);
    expect(verified(secret, got)).toMatchObject({
      type: "post.failed",
      id: got.id,
      revision: 0,
      data: { post_id: 42, message: "This is a test." },
    });
    const { body } = await project.call("GET", `/social/get-delivery/${delivery_id}`);
    expect(body).toMatchObject({ delivery: { event: "post.failed", status: "delivered", request_body: got.text } });
  });

  test("refuses an event that there is not, by name", async () => {
    const { project, id } = await hookedProject();
    const { status, body } = await project.call("POST", `/social/test-webhook/${id}?event=post.eaten`);
    expect([status, body]).toMatchObject([422, { errors: { event: [expect.any(String)] } }]);
  });
});
