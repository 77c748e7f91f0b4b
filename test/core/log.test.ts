import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, test, vi } from "vitest";
import { z } from "zod";
import { describeError } from "../../src/core/error-text.ts";
import { JobFailed } from "../../src/jobs/outcomes.ts";
import { queuesIdle } from "../support/queue.ts";
import { call, createPost, issueToken, projectWith } from "../support/world.ts";

let lines: string[];
beforeEach(() => {
  lines = [];
  const write = (line: unknown) => void lines.push(String(line));
  vi.spyOn(console, "log").mockImplementation(write);
  vi.spyOn(console, "error").mockImplementation(write);
  return () => vi.restoreAllMocks();
});

/** Runs with statements on the table that fail. */
async function whileFailing(table: string, deed: () => Promise<unknown>): Promise<void> {
  const trigger = `CREATE TRIGGER failing BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'as the test asked'); END`;
  await env.DB.prepare(trigger).run();
  try {
    await deed();
  } finally {
    await env.DB.prepare("DROP TRIGGER failing").run();
  }
}

const SECRET = "s3cret-value-of-a-statement";

describe("a failed statement", () => {
  const issueFailing = async (body: object) => {
    const answer = await call("POST", "/internal/tokens", { headers: { "X-Operator-Key": env.OPERATOR_KEY }, body });
    return { status: answer.status, text: JSON.stringify(answer.body) };
  };

  test("by itself is logged without its values", async ({ expect }) => {
    await whileFailing("projects", async () => {
      const answer = await issueFailing({ project: SECRET, name: "Failing" });
      expect(answer).toEqual({ status: 500, text: expect.not.stringContaining(SECRET) });
    });
    const line = lines.find((one) => one.includes("request_failed"));
    expect(line).toContain('insert into \\"projects\\"');
    expect(line).toContain("as the test asked");
    expect(line).toMatch(/ at /);
    expect(lines.join("\n")).not.toContain(SECRET);
  });

  test("that stores a token is logged without its name and its hash", async ({ expect }) => {
    await whileFailing("tokens", async () => {
      const answer = await issueFailing({ project: "Failing", name: SECRET });
      expect(answer).toEqual({ status: 500, text: expect.not.stringContaining(SECRET) });
    });
    const line = lines.find((one) => one.includes("request_failed"));
    expect(line).toContain("as the test asked");
    expect(line).toMatch(/ at /);
    expect(lines.join("\n")).not.toContain(SECRET);
    // The hash of the token is a value as well.
    expect(lines.join("\n")).not.toMatch(/[0-9a-f]{64}/);
  });

  test("of a transaction is logged without its values", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    await whileFailing("posts", async () => {
      await expect(createPost(project, channel, { caption_text: SECRET })).rejects.toThrow("500");
    });
    expect(lines.join("\n")).toContain("as the test asked");
    expect(lines.join("\n")).not.toContain(SECRET);
  });

  test("shows none of its values, whatever they are and wherever they stand", ({ expect }) => {
    // The fixed text and the places in the code have no such letter.
    const secret = fc.string({ unit: "binary", minLength: 4 }).map((text) => `${text}\u00df`);
    fc.assert(
      fc.property(secret, (value) => {
        const query = Object.assign(new Error(`Failed query: select ?\nparams: ${value}`), {
          query: "select ?",
          params: [value],
          cause: new Error(`D1_TYPE_ERROR: Type 'x' not supported for value '${value}'`),
        });
        expect(describeError(query).replaceAll("…", "")).not.toContain(value);
      }),
    );
    const bare = new Error(`D1_TYPE_ERROR: Type 'symbol' not supported for value 'it's ${SECRET}'`);
    expect(describeError(bare)).toMatch(/^Error: D1_TYPE_ERROR: Type '…' at /);
  });
});

test("of an error only the class, the code and the places are logged, whatever it quotes", ({ expect }) => {
  const errors = (text: string) => [
    new Error(text),
    new Error(`Could not publish ${text}\n    at ${text} (file.ts:1:2)`),
    new TypeError(`Cannot read properties of undefined (reading '${text}')`),
    new SyntaxError(`Invalid regular expression: /${text}/u: Invalid escape`),
    new RangeError(`Invalid time value: ${text} D1_ERROR: ${text}: SQLITE_ERROR`),
    new Error("stored", { cause: new Error(text, { cause: text }) }),
    new Error("stored", { cause: { message: text } }),
    Object.assign(new Error(text), { name: `${text} Error`, code: `${text}!` }),
    Object.assign(new Error("before"), { message: text }),
    new Error(`D1_TYPE_ERROR: Type "${text}" not supported for '${text}'`),
    z
      .object({ caption: z.number() })
      .strict()
      .safeParse({ caption: text, [text]: 1 }).error,
    text,
  ];
  const secret = fc.string({ unit: "grapheme", minLength: 8 }).map((text) => `${text} ${SECRET} ${text}`);
  fc.assert(
    fc.property(secret, (text) => {
      for (const error of errors(text)) {
        const line = describeError(error);
        expect(line).not.toContain(SECRET);
        expect(line.length).toBeLessThan(3_000);
      }
    }),
  );
  const line = describeError(new JobFailed("media_invalid", SECRET));
  expect(line).toMatch(/^Error media_invalid at .*log\.test\.ts:\d+:\d+/);
});

test("a job that fails at what it reads is logged by its key and kind, without the caption or the comment", async ({
  expect,
}) => {
  const { project, channel } = await projectWith("facebook");
  for (const column of ["thread", "platform_posts", "extra", "media_urls"]) {
    for (const broken of [`["${SECRET}" 1]`, JSON.stringify({ message: SECRET })]) {
      const post = await createPost(project, channel, { caption_text: SECRET, first_comment: `${SECRET} below` });
      await env.DB.prepare(`UPDATE posts SET ${column} = ? WHERE id = ?`).bind(broken, post).run();
    }
  }
  await queuesIdle();
  const failed = lines.filter((one) => one.includes('"job_failed"'));
  expect(failed).not.toEqual([]);
  for (const line of failed) expect(JSON.parse(line)).toMatchObject({ key: expect.any(String), kind: "publish" });
  expect(lines.join("\n")).not.toContain(SECRET);
});

test("of a JSON that cannot be read its text is not logged", ({ expect }) => {
  for (const text of [SECRET, `{"a": "${SECRET}"`, `{"caption": ${SECRET} "and" more}`, `["${SECRET}" 1]`]) {
    try {
      JSON.parse(text);
    } catch (error) {
      expect(describeError(new Error("stored", { cause: error }))).toMatch(/^Error <- SyntaxError at /);
      expect(describeError(error)).not.toContain(SECRET.slice(0, 6));
    }
  }
});

describe("calls of the operator", () => {
  test("are logged by name, and their answers are not kept", async ({ expect }) => {
    const { id, token } = await issueToken(`logged ${crypto.randomUUID()}`);
    const headers = { "X-Operator-Key": env.OPERATOR_KEY };
    const list = await call("GET", "/internal/tokens", { headers });
    const revoked = await call("POST", "/internal/tokens/revoke", { headers, body: { id } });
    const odd = await call("POST", "/internal/tokens/revoke", { headers, body: {} });
    for (const answer of [list, revoked, odd]) expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const calls = lines.filter((line) => line.includes('"operator_call"')).map((line) => JSON.parse(line));
    expect(calls).toMatchObject([
      { call: "issueToken", status: 200 },
      { call: "listTokens", status: 200 },
      { call: "revokeToken", status: 200 },
      { call: "revokeToken", status: 422 },
    ]);
    expect(lines.join("\n")).not.toContain(env.OPERATOR_KEY);
    expect(lines.join("\n")).not.toContain(token);
  });

  test("with a wrong key, or none, are logged too, without the key", async ({ expect }) => {
    const headers = { "X-Operator-Key": SECRET, "CF-Connecting-IP": "203.0.113.7" };
    const answers = [
      await call("POST", "/internal/tokens", { headers, body: {} }),
      await call("GET", "/internal/tokens"),
      await call("PUT", "/internal/nowhere", { headers, body: {} }),
    ];
    for (const { status, headers: sent } of answers) {
      expect([status, sent.get("Cache-Control")]).toEqual([404, "no-store"]);
    }
    const refused = lines.filter((line) => line.includes('"operator_refused"')).map((line) => JSON.parse(line));
    expect(refused).toMatchObject([
      { call: "POST /internal/tokens", why: "wrong_key", from: "203.0.113.7", requestId: expect.any(String) },
      { call: "GET /internal/tokens", why: "no_key" },
      { call: "PUT elsewhere", why: "wrong_key" },
    ]);
    expect(lines.join("\n")).not.toContain(SECRET);
  });
});
