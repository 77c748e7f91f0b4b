import { env } from "cloudflare:workers";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "../../src/api/operations.ts";
import { call, issueToken } from "../support/world.ts";

/** An audited write whose body is refused writes nothing: no entry, no D1 call. */
const withBody = OPERATIONS.flatMap(({ audited, id, method, path, body }) =>
  audited && body ? [[id, method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1")] as const] : [],
);

let token: string;
beforeAll(async () => {
  token = (await issueToken(`refused ${crypto.randomUUID()}`)).token;
});

const Count = z.object({ n: z.number() });
const entries = async () => Count.parse(await env.DB.prepare("SELECT count(*) AS n FROM audit_entries").first()).n;

test("the operations that are recorded and have a body are known", ({ expect }) => {
  expect(withBody.length).toBeGreaterThan(8);
});

test.for(withBody)("%s", async ([, method, path], { expect }) => {
  const before = await entries();
  const highest = await env.DB.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_entries'").first();
  for (const raw of [
    "[]",
    "no JSON",
    '{"a":"\\ud83d"}',
    '{"name":1,"url":1,"budget":"x","slots":1,"status":1,"note":1,"again":1}',
  ]) {
    const answer = await call(method, path, { token, raw });
    if (answer.status === 404) continue;
    expect([raw, answer.status]).toEqual([raw, 422]);
    expect(answer.headers.get("Server-Timing")).toMatch(/d1;.*calls=0|calls=0/);
  }
  expect(await entries()).toBe(before);
  // Not even one that was written and deleted again.
  expect(await env.DB.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_entries'").first()).toEqual(highest);
});
