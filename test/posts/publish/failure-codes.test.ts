import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { FAILURE_CODES, type FailureCode } from "../../../src/core/failures.ts";
import { platforms } from "../../../src/platforms/registry.ts";
import { without } from "../../contract/absent.ts";
import {
  calm,
  type Home,
  homeOn,
  liveNow,
  type Name,
  type Sent,
  send,
  settings,
  shapeOf,
} from "../../contract/world.ts";
import { answering, failStatements, quiet } from "../../support/between.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance } from "../../support/clock.ts";
import { ascii, bytes, PNG, zeros } from "../../support/media-files.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR } from "../../support/times.ts";
import { createPost, findPost } from "../../support/world.ts";

/** Why a post failed or waits, in a word: through the front door, for everything that can happen to one. */
const FOREVER = 1_000;

// A test begins empty: what those before it left would be kept up through its time.
beforeEach(async () => {
  await startClean();
  await settings({ slow_ms: 30 });
});
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await calm();
});

const Code = z.enum(FAILURE_CODES);
const Shown = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("post.failed"),
    detail: z.object({ error_code: Code, cause: Code.nullable(), items: z.int(), live_items: z.int() }),
  }),
  z.object({ type: z.literal("post.waiting"), detail: z.object({ error_code: Code.nullable() }) }),
  z.object({ type: z.literal("post.removal_failed"), detail: z.object({ error_code: Code }) }),
]);

/** The failures and waits of the timeline. */
async function reportedOf({ home, id }: Pick<Sent, "home" | "id">) {
  const answer = await home.project.call("GET", `/social/get-post-events/${id}`);
  const { events } = z.object({ events: z.array(z.looseObject({ type: z.string() })) }).parse(answer.body);
  return events.flatMap((event) => Shown.safeParse(event).data ?? []);
}

/** The codes of its waits; null where nothing was wrong. */
async function waitsOf(sent: Pick<Sent, "home" | "id">): Promise<Set<FailureCode | null>> {
  const shown = await reportedOf(sent);
  return new Set(shown.flatMap((event) => (event.type === "post.waiting" ? [event.detail.error_code] : [])));
}

interface Failed {
  readonly code: FailureCode;
  /** What led to it; null where the code says it. */
  readonly cause: FailureCode | null;
}

/** How the post failed: the detail of the event, which the post stores too. Null: it did not. */
async function failureOf(sent: Pick<Sent, "home" | "id">): Promise<Failed | null> {
  const { STATUS, error } = await findPost(sent.home.project, sent.id);
  const row = await env.DB.prepare("SELECT error, error_code AS code FROM posts WHERE id = ?").bind(sent.id).first();
  const failed = (await reportedOf(sent)).findLast((event) => event.type === "post.failed");
  if (failed?.type !== "post.failed") {
    expect([STATUS, row]).toEqual(["published", { error: null, code: null }]);
    return null;
  }
  const { error_code: code, cause } = failed.detail;
  expect([STATUS, row]).toEqual(["failed", { error, code }]);
  return { code, cause };
}

type Spoilt = readonly [operation: string, kind: string, times: number];

interface Case {
  readonly name: Name;
  readonly shape: string;
  readonly faults: readonly Spoilt[];
  /** Null where it is published all the same. */
  readonly code: FailureCode | null;
  readonly waits?: readonly FailureCode[];
}

/** Each kind of fault, on each platform that knows it, where it cannot be survived and where it can. */
const CASES: readonly Case[] = (["facebook", "twitter"] as const).flatMap((name): Case[] => [
  {
    name,
    shape: "a text",
    faults: [["publish", "error", FOREVER]],
    code: "may_be_published",
    waits: ["may_be_published"],
  },
  { name, shape: "a text", faults: [["publish", "html_error", FOREVER]], code: "may_be_published" },
  { name, shape: "a text", faults: [["publish", "slow", 1]], code: null, waits: [] },
  { name, shape: "a text", faults: [["publish", "rate_limit", 2]], code: null, waits: ["rate_limited"] },
  { name, shape: "an image", faults: [["upload", "error", 2]], code: null, waits: ["platform_down"] },
  { name, shape: "a text", faults: [["publish", "accept_then_drop", 1]], code: null, waits: ["may_be_published"] },
  { name, shape: "a text", faults: [["publish", "accept_then_error", 1]], code: null, waits: ["may_be_published"] },
  {
    name,
    shape: "a text",
    faults: [
      ["publish", "accept_then_drop", 1],
      ["status", "error", FOREVER],
    ],
    code: "may_be_published",
    // A 5xx of X's own proves nothing, for a look-up either: the post stays unconfirmed.
    waits: name === "twitter" ? ["may_be_published"] : ["platform_down"],
  },
  // X's token is renewed; nothing renews a Page's.
  {
    name,
    shape: "a text",
    faults: [["publish", "expire_token", 1]],
    code: name === "twitter" ? null : "reconnect_needed",
    waits: [],
  },
  { name, shape: "a text", faults: [["publish", "revoke_token", 1]], code: "reconnect_needed" },
  { name, shape: "an image", faults: [["upload", "reject_media", FOREVER]], code: "media_invalid" },
  { name, shape: "a video", faults: [["upload", "processing_failed", FOREVER]], code: "media_invalid" },
]);

describe("what the sandbox does to a post", () => {
  test.for(CASES.map((one) => [one.name, one.shape, one.faults, one.code, one] as const))(
    "%s, %s, %j: %s",
    async ([name, shape, faults, code, { waits }]) => {
      const home = await homeOn(name, await sandbox.addAccount(name, `Codes ${crypto.randomUUID().slice(0, 6)}`));
      for (const [operation, kind, times] of faults) await sandbox.fault(name, operation, kind, times);
      const sent = await send(home, shapeOf(name, shape));
      await queuesIdle(24 * HOUR);
      expect((await failureOf(sent))?.code ?? null).toBe(code);
      const shown = await waitsOf(sent);
      if (waits) expect([...shown].filter((wait) => wait !== null)).toEqual(expect.arrayContaining([...waits]));
      // The check whether a refused post was published has no code.
      if (waits?.length === 0) expect([...shown].filter((wait) => wait !== null)).toEqual([]);
    },
  );
});

/** A media server with prepared answers. */
function fileServer(respond: (range: readonly [number, number] | null) => Response): string {
  answering((request) => {
    if (new URL(request.url).host !== "files.example.com") return null;
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    return respond(start === undefined || end === undefined ? null : [Number(start), Number(end) + 1]);
  });
  return "https://files.example.com/a.png";
}

/** Of 6 MB, which is more than X takes. */
const LARGE = 6 * 1024 * 1024;
const large = (range: readonly [number, number] | null): Response => {
  const [start, end] = range ?? [0, LARGE];
  const part = bytes(PNG, zeros(LARGE - PNG.length)).slice(start, end);
  const headers = { "content-range": `bytes ${start}-${start + part.length - 1}/${LARGE}` };
  return new Response(part, { status: 206, headers });
};

describe("a file that cannot be posted", () => {
  test.for([
    ["is not there", () => new Response("gone", { status: 404 }), "media_unreachable"],
    ["is on a server that is down", () => new Response(null, { status: 503 }), "media_unreachable"],
    [
      "has moved to a private address",
      () => new Response(null, { status: 302, headers: { location: "https://10.0.0.1/a.png" } }),
      "media_unreachable",
    ],
    ["is large, and its server sends no parts", () => new Response(zeros(LARGE)), "media_unreachable"],
    ["is no picture", () => new Response(ascii("<html>hello</html>")), "media_invalid"],
    ["is of another type", () => new Response(bytes(ascii("BM"), zeros(60))), "media_invalid"],
    ["is empty", () => new Response(null), "media_invalid"],
    ["is too large", large, "media_invalid"],
  ] as const)("because it %s: the post fails, and validate-post says so before", async ([, respond, code]) => {
    const home = await homeOn("twitter");
    const media_urls = [fileServer(respond)];
    const body = { post_type: "post", caption_text: crypto.randomUUID(), media_urls };
    const id = await createPost(home.project, home.channel, body);
    await queuesIdle(24 * HOUR);
    expect(await failureOf({ home, id })).toEqual({ code, cause: null });
    const checked = await home.project.call("POST", "/social/validate-post", {
      body: { ...home.channel, ...body, publish_mode: "now" },
    });
    expect(checked).toMatchObject({ status: 422, body: { code, errors: { media_urls: expect.any(Array) } } });
  });
});

/** X's words in place of its answer to what publishes. */
function xSays(status: number, detail: string): void {
  answering((request) =>
    request.method === "POST" && request.url.endsWith("/2/tweets")
      ? Response.json({ title: "Problem", type: "about:blank", status, detail }, { status })
      : null,
  );
}

describe("a platform's refusal", () => {
  test.for([
    ["You are not permitted to perform this action.", 403, "platform_rejected", null],
    ["Your Tweet text is too long.", 400, "content_invalid", null],
    ["Your Tweet has an invalid URL.", 400, "content_refused", null],
    ["Missing required scope: tweet.write", 403, "permission_missing", null],
    ["Your account is suspended.", 403, "reconnect_needed", null],
    ["You are not allowed to create a Tweet with duplicate content.", 403, "duplicate", null],
  ] as const)("“%s” (%i) is reported as %s", async ([detail, status, code, cause]) => {
    const home = await homeOn(
      "twitter",
      await sandbox.addAccount("twitter", `Says ${crypto.randomUUID().slice(0, 6)}`),
    );
    xSays(status, detail);
    const sent = await send(home, shapeOf("twitter", "a text"));
    await queuesIdle(24 * HOUR);
    expect(await failureOf(sent)).toEqual({ code, cause });
  });

  test.for([
    ["credits_depleted", "operator_action"],
    ["account_locked", "account_restricted"],
  ] as const)("%s is a wait, reported as %s", async ([kind, code]) => {
    const home = await homeOn("twitter");
    await sandbox.fault("twitter", "publish", kind, 1);
    const sent = await send(home, shapeOf("twitter", "a text"));
    await queuesIdle(24 * HOUR);
    expect(await failureOf(sent)).toBeNull();
    expect(await waitsOf(sent)).toContain(code);
  });
});

describe("of our own accord", () => {
  test("a channel that was disconnected before the time came", async () => {
    const home = await homeOn("twitter");
    const sent = await send(home, shapeOf("twitter", "a text"));
    await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
    await queuesIdle();
    expect(await failureOf(sent)).toEqual({ code: "channel_disconnected", cause: null });
  });

  test("trouble with our storage that does not end", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const home = await homeOn("twitter");
    const sent = await send(home, shapeOf("twitter", "an image"));
    // Each of the eight deliveries stores the intent, then alone what precedes it.
    failStatements(/insert into "?job_steps"?/i, 16);
    await queuesIdle(24 * HOUR);
    expect(await waitsOf(sent)).toEqual(new Set(["unexpected"]));
    expect(await failureOf(sent)).toEqual({ code: "unexpected", cause: null });
  });

  test("rows that cannot be read any more end unconfirmed", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const home = await homeOn("twitter");
    const sent = await send(home, shapeOf("twitter", "a text"));
    await env.DB.prepare("UPDATE posts SET media_urls = '[\"' WHERE id = ?").bind(sent.id).run();
    await queuesIdle(24 * HOUR);
    const row = await env.DB.prepare("SELECT state, error_code AS code FROM posts WHERE id = ?").bind(sent.id).first();
    expect(row).toEqual({ state: "failed", code: "may_be_published" });
  });

  test("a post that no delivery reached in time", async () => {
    const home = await homeOn("twitter");
    const sent = await send(home, shapeOf("twitter", "a text"));
    queue.loseAll();
    await advance(7 * HOUR);
    await cron();
    await queuesIdle();
    expect(await failureOf(sent)).toEqual({ code: "deadline_passed", cause: null });
  });
});

describe("a thread", () => {
  /** The third item meets this for ever; those before it are live. */
  async function thirdItem(kind: string): Promise<Sent> {
    const home = await homeOn(
      "twitter",
      await sandbox.addAccount("twitter", `Thread ${crypto.randomUUID().slice(0, 6)}`),
    );
    const shape = { name: "three texts", type: "thread", items: [[], [], []] } as const;
    const sent = await send(home, shape);
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const isCommit = request.method === "POST" && request.url.endsWith("/2/tweets");
      if (isCommit && (await liveNow(home)).length === 2) await sandbox.fault("twitter", "publish", kind, FOREVER);
      return fetch(request);
    });
    await queuesIdle(24 * HOUR);
    return sent;
  }

  test.for([
    ["revoke_token", "reconnect_needed"],
    ["error", "may_be_published"],
  ] as const)("of which two items are live when %s comes is partly published, because of %s", async ([kind, cause]) => {
    const sent = await thirdItem(kind);
    expect(await failureOf(sent)).toEqual({ code: "partly_published", cause });
    const failed = (await reportedOf(sent)).at(-1);
    expect(failed).toMatchObject({ type: "post.failed", detail: { items: 3, live_items: 2 } });
  });
});

describe("a removal that fails", () => {
  async function deleted(spoil: (home: Home) => Promise<unknown>): Promise<Sent> {
    const home = await homeOn(
      "twitter",
      await sandbox.addAccount("twitter", `Gone ${crypto.randomUUID().slice(0, 6)}`),
    );
    const sent = await send(home, shapeOf("twitter", "a text"));
    await queuesIdle();
    await spoil(home);
    await home.project.call("DELETE", `/social/delete-post/${sent.id}`);
    await queuesIdle(26 * HOUR);
    return sent;
  }

  test("because the platform has no call for it", async () => {
    await without(platforms.twitter?.posts, "remove", async () => {
      const sent = await deleted(async () => {});
      expect((await reportedOf(sent)).at(-1)).toEqual({
        type: "post.removal_failed",
        detail: { error_code: "unsupported_by_platform" },
      });
    });
  });

  test("by the platform's word", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const sent = await deleted(async () =>
      answering((request) =>
        request.method === "DELETE"
          ? Response.json({ title: "Forbidden", status: 403, detail: "No.", type: "about:blank" }, { status: 403 })
          : null,
      ),
    );
    expect((await reportedOf(sent)).at(-1)).toEqual({
      type: "post.removal_failed",
      detail: { error_code: "platform_rejected" },
    });
  });
});
