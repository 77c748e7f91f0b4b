import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { hasOurChecksum } from "../../src/core/tokens.ts";
import type { Bindings } from "../../src/service/deps.ts";
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
async function send(token: string, through: Bindings = bindings): Promise<Cost> {
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

describe("an invented token", () => {
  test("costs nothing at all, whatever it is", async ({ expect }) => {
    const { token } = await issueToken(`mistyped ${crypto.randomUUID()}`);
    const base62 = fc.stringMatching(/^[0-9A-Za-z]{42}$/);
    await fc.assert(
      fc.asyncProperty(base62, async (text) => {
        expect(await send(`blf_${text}`)).toEqual({ status: 401, d1: 0, kv: 0 });
      }),
      { numRuns: 20 },
    );
    for (const place of [5, 20, 39, 40, 45]) {
      const letter = token[place] === "a" ? "b" : "a";
      const mistyped = token.slice(0, place) + letter + token.slice(place + 1);
      expect([place, await send(mistyped)]).toEqual([place, { status: 401, d1: 0, kv: 0 }]);
    }
  });

  test("does not pass by a checksum of another key", async ({ expect }) => {
    const { token } = await issueToken(`keyed ${crypto.randomUUID()}`);
    expect(await hasOurChecksum(["a signing key that only the tests ever see"], token)).toBe(true);
    expect(await hasOurChecksum(["some other signing key, as long as needed"], token)).toBe(false);
    expect(await hasOurChecksum([], token)).toBe(false);
  });
});

describe("when the signing key is changed", () => {
  const SIGNING_KEY = "the signing key that comes after the first one";
  const SIGNING_KEYS_OLD = "a signing key that nobody remembers any more, a signing key that only the tests ever see";

  test("tokens of the key before go on working, and new ones are of the new key", async ({ expect }) => {
    const { token } = await issueToken(`rotated ${crypto.randomUUID()}`);
    expect(await send(token, freshIsolate({ SIGNING_KEY, SIGNING_KEYS_OLD }))).toMatchObject({ status: 200 });
    await advance(11_000);
    expect(await send(token, freshIsolate({ SIGNING_KEY }))).toEqual({ status: 401, d1: 0, kv: 0 });
    expect(await send(token)).toMatchObject({ status: 200 });
  });

  test("without the one before, the sweep logs that until it is configured", async ({ expect }) => {
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
