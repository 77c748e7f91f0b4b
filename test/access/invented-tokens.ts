import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { randomBase62, readChecksum, sha256Hex } from "../../src/core/tokens.ts";
import type { Bindings } from "../../src/deps.ts";
import worker from "../../src/worker.ts";
import { advance } from "../support/clock.ts";
import { bindings } from "../support/queue.ts";
import { API, issueToken } from "../support/world.ts";

interface Cost {
  readonly status: number;
  readonly d1: number;
  readonly kv: number;
}

/** A request of an isolate whose bindings these are: other bindings, another memory. */
async function ask(token: string, through: Bindings = bindings): Promise<Cost> {
  const context = createExecutionContext();
  const request = new Request(`${API}/social/upcoming-posts`, { headers: { Authorization: `Bearer ${token}` } });
  const { status, headers } = await worker.fetch(request, through, context);
  await waitOnExecutionContext(context);
  const timing = headers.get("Server-Timing") ?? "";
  return { status, d1: Number(/calls=(\d+)/.exec(timing)?.[1]), kv: Number(/reads=(\d+)/.exec(timing)?.[1]) };
}

const freshIsolate = (
  changed: Partial<Bindings> & { readonly SIGNING_KEY?: string; readonly SIGNING_KEYS_OLD?: string } = {},
) => ({
  ...bindings,
  ...changed,
});

/** A token as it was issued before checksums had a key: six base62 digits of CRC-32. Anybody can make it. */
function unkeyed(random = randomBase62(36)): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let crc = 0xffffffff;
  for (const letter of random) {
    crc ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let checksum = "";
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) checksum = digits[rest % 62] + checksum;
  return `blf_${random}${checksum}`;
}

/** Turns an issued token into one that the release before had issued. */
async function issuedBefore(): Promise<{ token: string; id: number }> {
  const { id, token: present } = await issueToken(`old ${crypto.randomUUID()}`);
  const token = unkeyed();
  const [from, to] = [await sha256Hex(present), await sha256Hex(token)];
  await env.KV.put(`token:${to}`, (await env.KV.get(`token:${from}`)) ?? "");
  await env.KV.delete(`token:${from}`);
  await env.DB.prepare("UPDATE tokens SET hash = ?2, checksum_key = '' WHERE id = ?1").bind(id, to).run();
  return { token, id };
}

describe("an invented token", () => {
  test("costs nothing at all, whatever it is", async ({ expect }) => {
    const { token } = await issueToken(`mistyped ${crypto.randomUUID()}`);
    const base62 = fc.stringMatching(/^[0-9A-Za-z]{42}$/);
    await fc.assert(
      fc.asyncProperty(base62, async (text) => {
        expect(await ask(`blf_${text}`)).toEqual({ status: 401, d1: 0, kv: 0 });
      }),
      { numRuns: 20 },
    );
    for (const place of [5, 20, 39, 40, 45]) {
      const letter = token[place] === "a" ? "b" : "a";
      const mistyped = token.slice(0, place) + letter + token.slice(place + 1);
      expect([place, await ask(mistyped)]).toEqual([place, { status: 401, d1: 0, kv: 0 }]);
    }
  });

  test("with the checksum of earlier tokens costs one look at the list of those a minute", async ({ expect }) => {
    const isolate = freshIsolate();
    const burst = await Promise.all(Array.from({ length: 30 }, () => ask(unkeyed(), isolate)));
    const later = [];
    for (let i = 0; i < 20; i++) later.push(await ask(unkeyed(), isolate));
    expect(new Set([...burst, ...later].map(({ status, kv }) => `${status} ${kv}`))).toEqual(new Set(["401 0"]));
    expect([...burst, ...later].reduce((sum, { d1 }) => sum + d1, 0)).toBe(1);
    await advance(61_000);
    expect((await ask(unkeyed(), isolate)).d1).toBe(1);
  });

  test("does not pass by a checksum of another key", async ({ expect }) => {
    const { token } = await issueToken(`keyed ${crypto.randomUUID()}`);
    expect(await readChecksum(["a signing key that only the tests ever see"], token)).toBe("keyed");
    expect(await readChecksum(["some other signing key, as long as needed"], token)).toBeNull();
    expect(await readChecksum([], unkeyed())).toBe("unkeyed");
  });
});

describe("a token that was issued before", () => {
  test("works as ever, and is refused when it is revoked", async ({ expect }) => {
    const { token, id } = await issuedBefore();
    const isolate = freshIsolate();
    // Somebody has had the list read a moment ago, or nobody has.
    await ask(unkeyed(), isolate);
    expect(await ask(token, isolate)).toMatchObject({ status: 200, d1: 1 });
    expect(await ask(token, freshIsolate())).toMatchObject({ status: 200 });
    await env.DB.prepare("UPDATE tokens SET revoked_at = 1 WHERE id = ?").bind(id).run();
    await advance(11_000);
    expect(await ask(token, freshIsolate())).toEqual({ status: 401, d1: 1, kv: 0 });
  });

  test("works while D1 is away", async ({ expect }) => {
    const { token } = await issuedBefore();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = new Proxy(env.DB, {
      get() {
        throw new Error("D1 is away.");
      },
    });
    const answer = await ask(token, freshIsolate({ DB: broken }));
    // Let in, and then nothing could be read.
    expect([answer.status, answer.kv]).toEqual([500, 1]);
    vi.restoreAllMocks();
  });
});

describe("when the signing key is changed", () => {
  const SIGNING_KEY = "the signing key that comes after the first one";
  const SIGNING_KEYS_OLD = "a signing key that nobody remembers any more, a signing key that only the tests ever see";

  test("tokens of the key before go on working, and new ones are of the new key", async ({ expect }) => {
    const { token } = await issueToken(`rotated ${crypto.randomUUID()}`);
    expect(await ask(token, freshIsolate({ SIGNING_KEY, SIGNING_KEYS_OLD }))).toMatchObject({ status: 200 });
    await advance(11_000);
    expect(await ask(token, freshIsolate({ SIGNING_KEY }))).toEqual({ status: 401, d1: 0, kv: 0 });
    expect(await ask(token)).toMatchObject({ status: 200 });
  });

  test("without the one before, the sweep says so in the log until it is there", async ({ expect }) => {
    await issueToken(`rotated ${crypto.randomUUID()}`);
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const reported = async (through: Bindings): Promise<boolean> => {
      errors.mockClear();
      await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} }, through);
      return errors.mock.calls.flat().some((line) => String(line).includes("SIGNING_KEYS_OLD"));
    };
    expect(await reported(freshIsolate({ SIGNING_KEY }))).toBe(true);
    expect(await reported(freshIsolate({ SIGNING_KEY, SIGNING_KEYS_OLD }))).toBe(false);
    expect(await reported(bindings)).toBe(false);
    vi.restoreAllMocks();
  });
});
