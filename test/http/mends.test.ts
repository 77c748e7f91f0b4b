import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { call, door, issueToken, ORIGIN } from "../support/world.ts";

/** Refusals name the mend: what was probably meant, at every operation. */
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        parameters: z.array(z.object({ name: z.string(), in: z.string() })).optional(),
      }),
    ),
  ),
});
const { paths } = Document.parse((await call("GET", "/openapi.json")).body);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [] }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, "1"),
    queries: parameters.flatMap((one) => (one.in === "query" ? [one.name] : [])),
  })),
);
const Refusal = z.object({ message: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() });

let token: string;
beforeAll(async () => {
  token = (await issueToken(`mends ${crypto.randomUUID()}`)).token;
});

describe("a repeated parameter", () => {
  const each = operations.flatMap(({ queries, ...one }) => queries.map((name) => [one.id, name, one] as const));
  test.for(each)("of %s, %s, must be sent once", async ([, name, { method, path }], { expect }) => {
    const answer = await call(method, `${path}?${name}=1&${name}=2`, { token });
    expect(answer.status).toBe(422);
    expect(Refusal.parse(answer.body).errors?.[name]).toEqual([
      `${name} must be sent once, not 2 times. If it takes several values, separate them by commas.`,
    ]);
  });
});

test.for(operations.map((one) => [one.id, one] as const))(
  "%s says that its path has no slash at its end",
  async ([, one], { expect }) => {
    const answer = await call(one.method, `${one.path}/`, { token });
    expect(answer.status).toBe(404);
    expect(Refusal.parse(answer.body).message).toContain(`Leave out the slash at its end: /api/v1${one.path}.`);
  },
);

test.for([...new Set(operations.map(({ path }) => path))])(
  "OPTIONS of a page at %s learns that tokens are for servers",
  async (path, { expect }) => {
    const headers = { Origin: "https://page.example", "Access-Control-Request-Method": "GET" };
    const answer = await call("OPTIONS", path, { headers });
    expect([answer.status, answer.headers.get("Access-Control-Allow-Origin")]).toEqual([405, null]);
    expect(answer.headers.get("Allow")).not.toBe("");
    expect(Refusal.parse(answer.body).message).toBe(
      "Access tokens are for servers: call this address from your server, not from a web page.",
    );
  },
);

test.for([
  [
    "/social/connect-channel",
    { user_id: "x" },
    "userId",
    "userId is required: a string. Rename `user_id` to `userId`.",
  ],
  ["/social/connect-channel", { UserID: "x" }, "userId", "userId is required: a string. Rename `UserID` to `userId`."],
  [
    "/social/create-post-generation",
    { postType: "text_only", input: "x" },
    "post_type",
    "Rename `postType` to `post_type`.",
  ],
  ["/social/create-comment-automation", { name: "x", chanels: [1], ai_enable: "no" }, "channels", "Rename `chanels`"],
] as const)("%s names the field that was meant: %o", async ([path, body, field, words], { expect }) => {
  const answer = await call("POST", path, { token, body });
  expect(answer.status).toBe(422);
  expect(Refusal.parse(answer.body).errors?.[field]?.[0]).toContain(words);
});

test("the names that reads of bots have get those of requests", async ({ expect }) => {
  const body = { reply_frequency: "once", triggers: ["a"], response: {} };
  const created = await call("POST", "/social/create-comment-automation", { token, body });
  expect(z.object({ warnings: z.array(z.string()) }).parse(created.body).warnings).toEqual([
    "`reply_frequency` is not a field of create-comment-automation; did you mean `frequency`?",
    "`triggers` is not a field of create-comment-automation; did you mean `keywords`?",
    "`response` is not a field of create-comment-automation; did you mean `comment_reply` and `direct_message`?",
  ]);
  const changed = await call("PUT", "/social/update-comment-automation/1", { token, body });
  expect(Refusal.parse(changed.body).errors?.reply_frequency).toEqual([
    "reply_frequency must not be sent: requests name it `frequency`.",
  ]);
});

test("the agents' tools have titles, and announce no change of their list", async ({ expect }) => {
  const send = async (method: string, params: object) => {
    const response = await door(
      new Request(`${ORIGIN}/mcp`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
    const text = await response.text();
    return z.object({ result: z.unknown() }).parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)).result;
  };
  const begun = await send("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tests", version: "1" },
  });
  expect(begun).toMatchObject({ capabilities: { tools: { listChanged: false } } });
  const Listed = z.object({ tools: z.array(z.object({ name: z.string(), title: z.string().min(3) })) });
  const { tools } = Listed.parse(await send("tools/list", {}));
  expect(tools.length).toBeGreaterThan(15);
  expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length);
});
