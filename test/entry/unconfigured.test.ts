import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { z } from "zod";
import { weaknessOfBytes, weaknessOfText } from "../../src/core/secrets.ts";
import { readConfig } from "../../src/service/config.ts";
import { ConfigError } from "../../src/service/config-problems.ts";
import worker from "../../src/worker.ts";
import { PRODUCTION } from "../support/production.ts";
import { bindings } from "../support/queue.ts";
import { ORIGIN } from "../support/world.ts";

const NotReady = z.object({
  status: z.literal(false),
  code: z.literal("not_ready"),
  message: z.string(),
  problems: z.array(z.object({ variable: z.string(), problem: z.string() })).optional(),
});

async function request(path: string, changes: object): Promise<{ answer: Response; log: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  try {
    const context = createExecutionContext();
    const env = { ...bindings, ...PRODUCTION, ...changes };
    const answer = await worker.fetch(new Request(`${ORIGIN}${path}`), env, context);
    await waitOnExecutionContext(context);
    return { answer, log: lines.join("\n") };
  } finally {
    spy.mockRestore();
  }
}

const WRONG: readonly { what: string; changes: object; variable: string; secret?: string }[] = [
  { what: "no keys to seal with", changes: { CREDENTIAL_KEYS: undefined }, variable: "CREDENTIAL_KEYS" },
  { what: "a model server that is no address", changes: { AI_BASE_URL: "models" }, variable: "AI_BASE_URL" },
  {
    what: "one that the key would reach readably",
    changes: { AI_BASE_URL: "http://m.example" },
    variable: "AI_BASE_URL",
  },
  { what: "an empty secret", changes: { SIGNING_KEY: "" }, variable: "SIGNING_KEY" },
  {
    what: "a key of 31 bytes",
    changes: { CREDENTIAL_KEYS: `k1:${btoa("0123456789abcdef0123456789abcde")}` },
    variable: "CREDENTIAL_KEYS",
    secret: btoa("0123456789abcdef0123456789abcde"),
  },
  {
    what: "a key that is a text",
    changes: { CREDENTIAL_KEYS: `k1:${btoa("0123456789abcdef0123456789abcdef")}` },
    variable: "CREDENTIAL_KEYS",
    secret: btoa("0123456789abcdef0123456789abcdef"),
  },
  { what: "a key that is no base64", changes: { CREDENTIAL_KEYS: "k1:%%%" }, variable: "CREDENTIAL_KEYS" },
  {
    what: "a short secret",
    changes: { SIGNING_KEY: "p0Yw8rJt3nLq6zXc" },
    variable: "SIGNING_KEY",
    secret: "p0Yw8rJt3nLq6zXc",
  },
  {
    what: "a sample in place of a secret",
    changes: { OPERATOR_KEY: "change-me-change-me-change-me-change-me" },
    variable: "OPERATOR_KEY",
    secret: "change-me-change",
  },
  {
    what: "a secret of one character",
    changes: { SIGNING_KEY: "a".repeat(48) },
    variable: "SIGNING_KEY",
    secret: "aaaa",
  },
  {
    what: "one secret for two",
    changes: { OPERATOR_KEY: PRODUCTION.SIGNING_KEY },
    variable: "OPERATOR_KEY",
    secret: PRODUCTION.SIGNING_KEY,
  },
  { what: "no database", changes: { DB: undefined }, variable: "DB" },
  { what: "paces of tests", changes: { PACE_FACTOR: "1000" }, variable: "PACE_FACTOR" },
  {
    what: "an address that is none",
    changes: { PUBLIC_ORIGIN: "no-address-at-all" },
    variable: "PUBLIC_ORIGIN",
    secret: "no-address-at-all",
  },
  { what: "one without encryption", changes: { PUBLIC_ORIGIN: "http://belfry.example" }, variable: "PUBLIC_ORIGIN" },
  { what: "one of another kind", changes: { PUBLIC_ORIGIN: "ftp://belfry.example" }, variable: "PUBLIC_ORIGIN" },
  {
    what: "one with a path",
    changes: { PUBLIC_ORIGIN: "https://belfry.example/social" },
    variable: "PUBLIC_ORIGIN",
  },
  { what: "simulated platforms", changes: { SANDBOX_URL: "https://sandbox.example" }, variable: "SANDBOX_URL" },
];

describe("a Worker that is not configured", () => {
  test.for(WRONG)(
    "names $variable for $what: at /healthz and in the log, never its value",
    async (wrong, { expect }) => {
      const { answer, log } = await request("/healthz", wrong.changes);
      expect(answer.status).toBe(503);
      const text = await answer.text();
      const { message, problems } = NotReady.parse(JSON.parse(text));
      expect(problems?.map(({ variable }) => variable)).toEqual([wrong.variable]);
      expect(message).toContain(wrong.variable);
      expect(log).toContain(wrong.variable);
      if (wrong.secret) expect(text + log).not.toContain(wrong.secret);
    },
  );

  test.for([
    "/",
    "/docs",
    "/api/v1/social/upcoming-posts",
    "/api/v1/openapi.json",
    "/connect/x",
    "/internal/tokens",
    "/nowhere",
  ])("answers 503 in the shape of all errors at %s, with a request id", async (path, { expect }) => {
    const { answer } = await request(path, { SIGNING_KEY: undefined, OPERATOR_KEY: "short" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    const { problems } = NotReady.parse(await answer.json());
    expect(problems).toBeUndefined();
  });

  test("names everything at once, so that one reading is enough", async ({ expect }) => {
    const changes = { CREDENTIAL_KEYS: undefined, SIGNING_KEY: "short", OPERATOR_KEY: "b".repeat(40), KV: undefined };
    const { answer } = await request("/healthz", changes);
    const { problems } = NotReady.parse(await answer.json());
    expect(problems?.map(({ variable }) => variable)).toEqual(["KV", "CREDENTIAL_KEYS", "SIGNING_KEY", "OPERATOR_KEY"]);
  });

  test("takes an old key that is weak behind a new one, so that what it sealed can be sealed again", async ({
    expect,
  }) => {
    const weak = `k0:${btoa("0123456789abcdef0123456789abcdef")}`;
    const behind = await request("/healthz", { CREDENTIAL_KEYS: `${PRODUCTION.CREDENTIAL_KEYS},${weak}` });
    expect(behind.answer.status).toBe(200);
    const before = await request("/healthz", { CREDENTIAL_KEYS: `${weak},${PRODUCTION.CREDENTIAL_KEYS}` });
    expect(before.answer.status).toBe(503);
  });

  test("is ready once they are set", async ({ expect }) => {
    const { answer } = await request("/healthz", {});
    expect(answer.status).toBe(200);
  });

  test("logs why the minute sweep does nothing", async ({ expect }) => {
    const event = { scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} };
    const env = { ...bindings, ...PRODUCTION, SIGNING_KEY: "" };
    const swept = worker.scheduled(event, env);
    await expect(swept).rejects.toThrow("SIGNING_KEY is missing.");
  });
});

describe("the strength of secrets", () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  // Drawn by the runtime's own source: fast-check prefers edges, such as all zeroes, which are weak.
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const hex = (from: Uint8Array) => Array.from(from, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = (from: Uint8Array) => btoa(String.fromCharCode(...from));

  test("what a good source makes passes in any spelling", ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 24, max: 96 }), (length) => {
        expect(weaknessOfText(base64(random(length)))).toBeNull();
        expect(weaknessOfText(hex(random(length)))).toBeNull();
        expect(weaknessOfBytes(random(32))).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is made of few different characters, or of one piece repeatedly, does not", ({ expect }) => {
    const piece = fc.string({ minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(piece, fc.integer({ min: 32, max: 80 }), (part, length) => {
        const repeated = part.repeat(length).slice(0, Math.max(32, length));
        expect(weaknessOfText(repeated)).not.toBeNull();
      }),
    );
    fc.assert(
      fc.property(bytes(4), (part) => {
        expect(weaknessOfBytes(new Uint8Array(32).map((_, at) => part[at % 4] ?? 0))).not.toBeNull();
      }),
    );
  });

  test("outside production the short-lived keys of a developer will do", ({ expect }) => {
    const weak = { ...PRODUCTION, SIGNING_KEY: "a".repeat(40) };
    expect(() => readConfig(weak)).toThrow(ConfigError);
    expect(readConfig({ ...weak, ENVIRONMENT: "development" }).signingKey).toBe(weak.SIGNING_KEY);
  });
});
