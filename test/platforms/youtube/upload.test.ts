import fc from "fast-check";
import { describe, test } from "vitest";
import { z } from "zod";
import type { Json } from "../../../src/platforms/context.ts";
import type { Content, PrepareOutcome } from "../../../src/platforms/publishing.ts";
import type { CallRequest, Send } from "../../../src/platforms/request.ts";
import type { Media } from "../../../src/platforms/rules.ts";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import { accountContext, content, NO_PROGRESS, type Scripted, scriptedSend, video } from "../../scripted-send.ts";

const { posts } = youtube;
const KIB = 1024;
const UNIT = 256 * KIB;
const MIB = 1024 * KIB;
const FIRST = { index: 0, previous: [] };
/** In place of bytes, where only their number counts. */
const NOTHING = new Uint8Array();
const UPLOAD = "https://www.googleapis.com/upload/youtube/v3/videos";
const SESSION = `${UPLOAD}?uploadType=resumable&upload_id=EX123`;

function videoPost(file: Media, extra: object = {}): Content {
  const post = { title: "Opening day", category: 24, privacyStatus: "unlisted", ...extra } as const;
  return { ...content("post", ["Come in.", file]), extra: post };
}

const open = (location = SESSION): Scripted => ({ status: 200, headers: { location } });
/** YouTube has so many bytes. */
const has = (bytes: number): Scripted => ({
  status: 308,
  headers: bytes === 0 ? {} : { range: `bytes=0-${bytes - 1}` },
});
const DONE: Scripted = { status: 201, body: { id: "aB3", status: { uploadStatus: "uploaded" } } };
const refusal = (status: number, reason: string): Scripted => ({
  status,
  body: { error: { code: status, message: "…", errors: [{ message: "…", reason }] } },
});
const rangeOf = ({ headers }: CallRequest) => headers?.["content-range"];

/** Calls prepare until it is ready or fails, as the job does. */
async function prepareAll(send: Send, what: Content, from: Json = NO_PROGRESS): Promise<PrepareOutcome> {
  let outcome: PrepareOutcome = { kind: "more", progress: from };
  while (outcome.kind === "more") outcome = await posts.prepare(accountContext(send), what, outcome.progress);
  return outcome;
}

const Progress = z.object({ session: z.string(), name: z.string(), offset: z.number(), restarts: z.number() });
const progressOf = (outcome: PrepareOutcome) => Progress.parse("progress" in outcome ? outcome.progress : null);

const at = (offset: number, session = SESSION): Json => ({
  session,
  name: "belfry-x.mp4",
  offset,
  parts: 1,
  restarts: 0,
});

describe("sending all but the end", () => {
  test("goes in parts of whole units, and leaves 256 KiB at most", async ({ expect }) => {
    const bytes = 9 * MIB + 100;
    const { send, calls } = scriptedSend(open(), has(4 * MIB), has(8 * MIB), has(9 * MIB));
    const outcome = await prepareAll(send, videoPost(video("v.mp4", bytes)));
    expect(progressOf(outcome).offset).toBe(9 * MIB);
    expect(calls.slice(1).map(rangeOf)).toEqual([
      `bytes 0-${4 * MIB - 1}/${bytes}`,
      `bytes ${4 * MIB}-${8 * MIB - 1}/${bytes}`,
      `bytes ${8 * MIB}-${9 * MIB - 1}/${bytes}`,
    ]);
    expect(calls[1]).toMatchObject({ method: "PUT", url: SESSION, headers: { "content-type": "video/mp4" } });
  });

  test("of whole units exactly leaves the last of them", async ({ expect }) => {
    const { send, calls } = scriptedSend(open(), has(MIB - UNIT));
    await prepareAll(send, videoPost(video("v.mp4", MIB)));
    expect(calls.slice(1).map(rangeOf)).toEqual([`bytes 0-${MIB - UNIT - 1}/${MIB}`]);
  });

  test("goes on from what YouTube says that it has, on no grid of this service", async ({ expect }) => {
    const bytes = 5 * MIB;
    const { send, calls } = scriptedSend(has(3 * UNIT), has(3 * UNIT + 4 * MIB));
    await prepareAll(send, videoPost(video("v.mp4", bytes)), at(UNIT));
    expect(calls.map(rangeOf)).toEqual([
      `bytes ${UNIT}-${UNIT + 4 * MIB - 1}/${bytes}`,
      `bytes ${3 * UNIT}-${3 * UNIT + 4 * MIB - 1}/${bytes}`,
    ]);
  });

  test.for([
    ["lost", "lost"],
    ["a gateway's page", { status: 502, body: "<html>" }],
    ["YouTube's own trouble", refusal(503, "backendError")],
    ["a refusal", refusal(400, "badRequest")],
    ["a page that refuses", { status: 400, body: "<html>" }],
  ] as const)("asks what arrived when the answer is %s, and goes on from there", async ([, answer], { expect }) => {
    const { send, calls } = scriptedSend(answer, has(3 * UNIT));
    const outcome = await posts.prepare(accountContext(send), videoPost(video("v.mp4", 2 * MIB)), at(0));
    expect(outcome).toMatchObject({ kind: "more", progress: { offset: 3 * UNIT } });
    expect(rangeOf(calls[1] ?? { method: "PUT", url: "" })).toBe(`bytes */${2 * MIB}`);
  });

  test("waits when nothing arrived, and does not start again", async ({ expect }) => {
    const nothing = scriptedSend("lost", has(0));
    const outcome = posts.prepare(accountContext(nothing.send), videoPost(video("v.mp4", 2 * MIB)), at(0));
    expect(await outcome).toMatchObject({ kind: "failed", reason: "down" });
    const silent = scriptedSend("lost", "lost");
    const other = posts.prepare(accountContext(silent.send), videoPost(video("v.mp4", 2 * MIB)), at(0));
    expect(await other).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("leaves an expired token and a limit to those who mend them, without a question", async ({ expect }) => {
    for (const [answer, reason] of [
      [refusal(401, "authError"), "token_expired"],
      [refusal(429, "rateLimitExceeded"), "throttled"],
    ] as const) {
      const { send, calls } = scriptedSend(answer);
      const outcome = await posts.prepare(accountContext(send), videoPost(video("v.mp4", 2 * MIB)), at(0));
      expect(outcome).toMatchObject({ kind: "failed", reason });
      expect(calls).toHaveLength(1);
    }
  });

  test.for([
    ["gone", { status: 404, body: "Not Found" }, []],
    ["ended by an error", { status: 410 }, []],
    ["refused for good", refusal(400, "badContent"), [refusal(400, "badContent")]],
    ["without what it had", has(0), []],
  ] as const)("opens another session, once, when the first is %s", async ([, answer, asked], { expect }) => {
    const other = open(`${SESSION}4`);
    const what = videoPost(video("v.mp4", 2 * MIB));
    const again = scriptedSend(answer, ...asked, other, has(2 * MIB - UNIT));
    const outcome = await prepareAll(again.send, what, at(UNIT));
    if (asked.length > 0) {
      // What YouTube refuses for good it refuses again.
      expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
      return;
    }
    expect(progressOf(outcome)).toMatchObject({ session: `${SESSION}4`, offset: 2 * MIB - UNIT, restarts: 1 });
    const once = { ...Progress.parse(at(UNIT)), parts: 1, restarts: 1 };
    const never = scriptedSend(answer);
    expect(await prepareAll(never.send, what, once)).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("pauses after every 32 parts, and says why", async ({ expect }) => {
    const { send } = scriptedSend(has(8 * MIB));
    const stored = { ...Progress.parse(at(4 * MIB)), parts: 31 };
    const outcome = posts.prepare(accountContext(send), videoPost(video("v.mp4", 90 * MIB)), stored);
    expect(await outcome).toMatchObject({ kind: "more", afterSeconds: 1, reason: expect.stringContaining("YouTube") });
  });

  test("reports what is wrong with the file itself", async ({ expect }) => {
    const { send, calls } = scriptedSend();
    const changed = { kind: "failed", reason: "rejected", message: "v.mp4 has changed." } as const;
    const what = { ...videoPost(video("v.mp4", 2 * MIB)), read: async () => changed };
    expect(await prepareAll(send, what, at(0))).toBe(changed);
    expect(calls).toEqual([]);
  });
});

describe("sending the end", () => {
  const file = video("v.mp4", MIB + 100);
  const commit = (progress: Json, ...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    return { calls, outcome: posts.commit(accountContext(send), videoPost(file), progress, FIRST) };
  };

  test("is one request with the last bytes, from memory", async ({ expect }) => {
    const { calls, outcome } = commit(at(MIB), DONE);
    expect(await outcome).toMatchObject({ kind: "accepted", post: { id: "aB3" } });
    expect(calls.map(rangeOf)).toEqual([`bytes ${MIB}-${MIB + 99}/${MIB + 100}`]);
    expect(calls[0]?.part).toMatchObject({ kind: "bytes", length: 100 });
  });

  test("holds a streamed part in memory, and says when it breaks off", async ({ expect }) => {
    const stream = () => new Response(new Uint8Array(100)).body ?? new ReadableStream<Uint8Array>();
    const streamed = (length: number): Content => ({
      ...videoPost(file),
      read: async () => ({ kind: "stream", length, stream: stream() }),
    });
    const whole = scriptedSend(DONE);
    const sent = posts.commit(accountContext(whole.send), streamed(100), at(MIB), FIRST);
    expect(await sent).toMatchObject({ kind: "accepted" });
    expect(whole.calls[0]?.part?.kind).toBe("bytes");
    const { send, calls } = scriptedSend();
    const cut = posts.commit(accountContext(send), streamed(101), at(MIB), FIRST);
    expect(await cut).toMatchObject({ kind: "failed", reason: "down" });
    expect(calls).toEqual([]);
  });

  test("goes on where YouTube has less, or more, than we knew", async ({ expect }) => {
    const less = commit(at(MIB), has(3 * UNIT), DONE);
    expect(await less.outcome).toMatchObject({ kind: "accepted" });
    expect(less.calls.map(rangeOf)[1]).toBe(`bytes ${3 * UNIT}-${MIB + 99}/${MIB + 100}`);
    const more = commit(at(3 * UNIT), has(MIB), DONE);
    expect(await more.outcome).toMatchObject({ kind: "accepted" });
    expect(more.calls.map(rangeOf)[1]).toBe(`bytes ${MIB}-${MIB + 99}/${MIB + 100}`);
  });

  test("only reads the status where YouTube has everything", async ({ expect }) => {
    const { calls, outcome } = commit(at(MIB + 100), { ...DONE, status: 200 });
    expect(await outcome).toMatchObject({ kind: "accepted", post: { id: "aB3" } });
    expect(calls.map(rangeOf)).toEqual([`bytes */${MIB + 100}`]);
  });

  test("was surely not taken when YouTube still waits for it", async ({ expect }) => {
    expect(await commit(at(MIB), has(UNIT), has(2 * UNIT)).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

/** A YouTube that stores random parts of each chunk and loses answers, for a while. */
function moody(bytes: number, moods: readonly number[]) {
  let stored = 0;
  let turn = 0;
  let videos = 0;
  const answered = (status: number, headers: Record<string, string> = {}, body: unknown = null) =>
    ({ kind: "answered", status, headers: new Headers(headers), text: "", body }) as const;
  const stand = () =>
    stored === bytes
      ? answered(201, {}, { id: "aB3" })
      : answered(308, stored === 0 ? {} : { range: `bytes=0-${stored - 1}` });
  const send: Send = async ({ method, headers, part }) => {
    if (method === "POST") return answered(200, { location: SESSION });
    const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(headers?.["content-range"] ?? "") ?? [];
    const mood = moods[turn++] ?? 0;
    if (start !== undefined && Number(start) === stored && part) {
      const isLast = Number(end) === bytes - 1;
      if (!isLast && part.length % UNIT !== 0) return answered(400, {}, { error: { code: 400, message: "unit" } });
      const units = Math.ceil(part.length / UNIT);
      const kept = mood % 3 === 0 ? units : Math.floor(units / (mood % 3));
      stored = Math.min(bytes, stored + kept * UNIT);
      if (stored === bytes) videos += 1;
    }
    return mood % 5 === 4 ? { kind: "lost", message: "It broke off." } : stand();
  };
  return { send, videos: () => videos };
}

test("whatever YouTube stores of each part, the video arrives whole, and once", async ({ expect }) => {
  const sizes = fc.integer({ min: 1, max: 12 * MIB });
  const moods = fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sizes, moods, async (bytes, all) => {
      const { send, videos } = moody(bytes, all);
      const what = videoPost(video("v.mp4", bytes));
      let progress: Json = NO_PROGRESS;
      for (let tries = 0, isReady = false; !isReady && tries < 300; tries++) {
        const outcome = await posts.prepare(accountContext(send), what, progress);
        if (outcome.kind === "failed") {
          expect(outcome.reason).toBe("down");
          continue;
        }
        progress = outcome.progress;
        isReady = outcome.kind === "ready";
      }
      expect(videos()).toBe(0);
      for (let tries = 0; tries < 300; tries++) {
        const outcome = await posts.commit(accountContext(send), what, progress, FIRST);
        if (outcome.kind === "accepted") break;
        expect(["down", undefined]).toContain("reason" in outcome ? outcome.reason : undefined);
      }
      expect(videos()).toBe(1);
    }),
    { numRuns: 60 },
  );
});

test("a gigabyte goes up in parts of 4 MB, over several deliveries", { timeout: 30_000 }, async ({ expect }) => {
  const bytes = 1024 * MIB + 1;
  const { send } = moody(bytes, []);
  let largest = 0;
  const what: Content = {
    ...videoPost(video("v.mp4", bytes)),
    read: async (_media, start, end) => {
      largest = Math.max(largest, end - start);
      return { kind: "bytes", length: end - start, bytes: NOTHING };
    },
  };
  let outcome: PrepareOutcome = { kind: "more", progress: NO_PROGRESS };
  let pauses = 0;
  for (let acts = 0; outcome.kind === "more"; acts++) {
    expect(acts).toBeLessThan(300);
    outcome = await posts.prepare(accountContext(send), what, outcome.progress);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined) pauses += 1;
  }
  expect(outcome).toMatchObject({ kind: "ready", progress: { offset: 1024 * MIB, parts: 256 } });
  expect([largest, pauses]).toEqual([4 * MIB, 7]);
});
