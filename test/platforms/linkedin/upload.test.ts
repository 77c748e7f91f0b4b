import { describe, test } from "vitest";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import type { Content } from "../../../src/platforms/publishing.ts";
import {
  accountContext,
  content,
  image,
  NO_PROGRESS,
  NOW,
  type Scripted,
  scriptedSend,
  video,
} from "../../scripted-send.ts";

/** Uploading to LinkedIn, act by act. */

const { posts } = linkedin;
const PAGE = "urn:li:organization:9001";
const UPLOADS = "https://www.linkedin.com/dms-uploads";
const MIB = 1024 * 1024;

function contextOf(send: AccountContext["send"], id = PAGE): AccountContext {
  const context = accountContext(send, { id });
  return { ...context, credentials: { ...context.credentials, scopes: ["r_organization_social"] } };
}
const PERSON = "urn:li:person:zX81";

/** Calls prepare as the job does: at once if it wants that, otherwise after the delay; at most so often. */
async function prepareAll(context: AccountContext, what: Content, stored: Json | null = NO_PROGRESS) {
  const waits: number[] = [];
  let now = context.now;
  let outcome = await posts.prepare(context, what, stored);
  for (let step = 0; step < 40 && outcome.kind === "more"; step++) {
    if (outcome.afterSeconds !== undefined) {
      waits.push(outcome.afterSeconds);
      now += outcome.afterSeconds * 1000;
    }
    outcome = await posts.prepare({ ...context, now }, what, outcome.progress);
  }
  return { outcome, waits };
}

const announced = (image = "urn:li:image:1", uploadUrl = `${UPLOADS}/1/uploaded-image/0?ca=vector`) => ({
  body: { value: { image, uploadUrl, uploadUrlExpiresAt: NOW + 3_600_000 } },
});
const status = (word: string, more: object = {}): Scripted => ({ body: { status: word, ...more } });
const PUT = { status: 201 };
const refused = (code: number): Scripted => ({ status: code, body: { status: code, code: "INVALID", message: "No." } });
const ONE = content("post", ["x", image("a.jpg")]);

test("an image is announced for its author, sent with the token, and used when it is ready", async ({ expect }) => {
  const { send, calls } = scriptedSend(announced(), PUT, status("PROCESSING"), status("AVAILABLE"));
  const { outcome, waits } = await prepareAll(contextOf(send), ONE);
  expect(outcome).toMatchObject({ kind: "ready", progress: { uploads: [{ state: "done", id: "urn:li:image:1" }] } });
  expect(calls[0]).toMatchObject({
    url: "https://api.linkedin.com/rest/images",
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest: { owner: PAGE } },
  });
  expect(calls[1]).toMatchObject({
    method: "PUT",
    url: `${UPLOADS}/1/uploaded-image/0?ca=vector`,
    headers: { authorization: "Bearer TOKEN" },
    part: { kind: "bytes", length: 3 },
  });
  expect(calls[2]?.url).toBe("https://api.linkedin.com/rest/images/urn%3Ali%3Aimage%3A1");
  expect(waits).toEqual([2]);
});

test("several images go up one after the other, in order", async ({ expect }) => {
  const { send } = scriptedSend(
    announced("urn:li:image:1"),
    PUT,
    status("AVAILABLE"),
    announced("urn:li:image:2"),
    PUT,
    status("AVAILABLE"),
  );
  const { outcome } = await prepareAll(contextOf(send), content("post", ["x", image("a.jpg"), image("b.jpg")]));
  expect(outcome).toMatchObject({
    kind: "ready",
    progress: { uploads: [{ id: "urn:li:image:1" }, { id: "urn:li:image:2" }] },
  });
});

test("where a person's images cannot be read, their readiness is not checked but waited for", async ({ expect }) => {
  const { send, calls } = scriptedSend(announced(), PUT);
  const { outcome, waits } = await prepareAll(contextOf(send, PERSON), ONE);
  expect(outcome).toMatchObject({ kind: "ready" });
  expect(waits).toEqual([5]);
  expect(calls).toHaveLength(2);
});

test("a page whose files may not be read waits as well, and loses no permission", async ({ expect }) => {
  const denied = { status: 403, body: { status: 403, code: "ACCESS_DENIED" } };
  const { send } = scriptedSend(announced(), PUT, denied, denied);
  const { outcome, waits } = await prepareAll(contextOf(send), ONE);
  expect(outcome).toMatchObject({ kind: "ready" });
  expect(waits).toEqual([5]);
});

test.for([
  ["the bytes", [refused(400)], "media_invalid"],
  ["the address, in words of somebody else", [{ status: 403, body: "<Error>expired</Error>" }], null],
  ["what it has announced", [PUT, refused(404)], "media_invalid"],
] as const)("when LinkedIn refuses %s, the file starts again, once", async ([, answers, code], { expect }) => {
  const again = scriptedSend(announced(), ...answers, announced("urn:li:image:2"), PUT, status("AVAILABLE"));
  const { outcome } = await prepareAll(contextOf(again.send), ONE);
  expect(outcome).toMatchObject({ kind: "ready", progress: { uploads: [{ id: "urn:li:image:2", restarts: 1 }] } });
  const twice = scriptedSend(announced(), ...answers, announced("urn:li:image:2"), ...answers);
  const reason = code === null ? { reason: "down" } : { reason: "rejected", code };
  expect((await prepareAll(contextOf(twice.send), ONE)).outcome).toMatchObject({ kind: "failed", ...reason });
});

describe("a video", () => {
  const VIDEO = content("post", ["v", video("v.mp4", 6 * MIB)]);
  const instruction = (number: number, firstByte: number, end: number) => {
    return { uploadUrl: `${UPLOADS}/v/${number}`, firstByte, lastByte: end - 1 };
  };
  const begun = (...uploadInstructions: readonly object[]): Scripted => ({
    body: {
      value: { video: "urn:li:video:1", uploadToken: "", uploadUrlsExpireAt: NOW + 3_600_000, uploadInstructions },
    },
  });
  const PARTS = begun(instruction(0, 0, 4 * MIB), instruction(1, 4 * MIB, 6 * MIB));
  const part = (etag: string): Scripted => ({ status: 200, headers: { etag } });
  const UP_TO_FINALIZE = [PARTS, part('"one"'), part("two")];

  test("goes up in the parts that LinkedIn names, without the token, and is known by their ETags", async ({
    expect,
  }) => {
    const { send, calls } = scriptedSend(...UP_TO_FINALIZE, { status: 200 }, status("PROCESSING"), status("AVAILABLE"));
    const { outcome, waits } = await prepareAll(contextOf(send), VIDEO);
    expect(outcome).toMatchObject({ kind: "ready", progress: { uploads: [{ id: "urn:li:video:1", parts: [] }] } });
    expect(calls[0]?.json).toEqual({
      initializeUploadRequest: {
        owner: PAGE,
        fileSizeBytes: 6 * MIB,
        uploadCaptions: false,
        uploadThumbnail: false,
      },
    });
    const sent = calls.slice(1, 3).map(({ url, part: bytes, headers }) => [url, bytes?.length, headers]);
    const headers = { "content-type": "application/octet-stream" };
    expect(sent).toEqual([
      [`${UPLOADS}/v/0`, 4 * MIB, headers],
      [`${UPLOADS}/v/1`, 2 * MIB, headers],
    ]);
    expect(calls[3]).toMatchObject({
      query: { action: "finalizeUpload" },
      json: {
        finalizeUploadRequest: { video: "urn:li:video:1", uploadToken: "", uploadedPartIds: ['"one"', "two"] },
      },
    });
    expect(waits).toEqual([5]);
  });

  test.for([
    ["leave a gap", [instruction(0, 0, 2 * MIB), instruction(1, 4 * MIB, 6 * MIB)]],
    ["do not reach the end", [instruction(0, 0, 4 * MIB)]],
    ["go beyond the end", [instruction(0, 0, 4 * MIB), instruction(1, 4 * MIB, 7 * MIB)]],
    ["are nowhere", []],
  ] as const)("is not sent where the parts %s", async ([, parts], { expect }) => {
    const { send, calls } = scriptedSend(begun(...parts));
    expect((await prepareAll(contextOf(send), VIDEO)).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect(calls).toHaveLength(1);
  });

  test("is not sent in parts that are larger than we may hold", async ({ expect }) => {
    const { send, calls } = scriptedSend(begun(instruction(0, 0, 9 * MIB)));
    const large = content("post", ["v", video("v.mp4", 9 * MIB)]);
    expect((await prepareAll(contextOf(send), large)).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect(calls).toHaveLength(1);
  });

  test("goes on at the part whose answer was lost", async ({ expect }) => {
    const { send, calls } = scriptedSend(PARTS, part("one"), "lost", part("two"), { status: 200 }, status("AVAILABLE"));
    const context = contextOf(send);
    let outcome = await posts.prepare(context, VIDEO, NO_PROGRESS);
    if (outcome.kind !== "more") throw new Error(outcome.kind);
    outcome = await posts.prepare(context, VIDEO, outcome.progress);
    if (outcome.kind !== "more") throw new Error(outcome.kind);
    const { progress } = outcome;
    expect(await posts.prepare(context, VIDEO, progress)).toMatchObject({ kind: "failed", reason: "down" });
    expect((await prepareAll(context, VIDEO, progress)).outcome).toMatchObject({ kind: "ready" });
    expect(calls.filter(({ method }) => method === "PUT").map(({ url }) => url.slice(-1))).toEqual(["0", "1", "1"]);
  });

  test("a part that is not acknowledged by an ETag is sent again", async ({ expect }) => {
    const { send } = scriptedSend(PARTS, { status: 200 });
    expect((await prepareAll(contextOf(send), VIDEO)).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("a second finalize that is refused is no refusal where the first has arrived", async ({ expect }) => {
    const { send } = scriptedSend(...UP_TO_FINALIZE, refused(400), status("PROCESSING"), status("AVAILABLE"));
    const { outcome } = await prepareAll(contextOf(send), VIDEO);
    expect(outcome).toMatchObject({ kind: "ready", progress: { uploads: [{ id: "urn:li:video:1", restarts: 0 }] } });
  });

  test("a finalize that is refused of a video that is not there starts it again, once", async ({ expect }) => {
    const attempt = [...UP_TO_FINALIZE, refused(400), status("WAITING_UPLOAD")];
    const { send, calls } = scriptedSend(...attempt, ...attempt);
    const { outcome } = await prepareAll(contextOf(send), VIDEO);
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    expect(calls).toHaveLength(10);
  });

  test("that cannot be processed fails, and the sentence names it and the reason", async ({ expect }) => {
    const failed = status("PROCESSING_FAILED", { processingFailureReason: "codec" });
    const { send } = scriptedSend(...UP_TO_FINALIZE, { status: 200 }, failed);
    const { outcome } = await prepareAll(contextOf(send), VIDEO);
    expect(outcome).toMatchObject({
      reason: "rejected",
      code: "media_invalid",
      message: expect.stringMatching(/v\.mp4.*“codec”/),
    });
  });

  test("that is never ready fails in the end", async ({ expect }) => {
    const waiting = { state: "processing", id: "urn:li:video:1", parts: [], token: "", expiresAt: 0, restarts: 0 };
    const late = scriptedSend(status("PROCESSING"));
    const progress = { uploads: [{ ...waiting, at: NOW - 46 * 60_000 }] };
    expect(await posts.prepare(contextOf(late.send), VIDEO, progress)).toMatchObject({
      reason: "rejected",
      message: expect.stringContaining("did not finish processing the video"),
    });
  });

  test("of a person is checked too; where that is refused, it is waited for", async ({ expect }) => {
    const denied = { status: 403, body: { status: 403, code: "ACCESS_DENIED" } };
    const { send, calls } = scriptedSend(...UP_TO_FINALIZE, { status: 200 }, denied, denied);
    const { outcome, waits } = await prepareAll(contextOf(send, PERSON), VIDEO);
    expect(outcome).toMatchObject({ kind: "ready" });
    expect(waits).toEqual([60]);
    expect(calls[4]?.url).toBe("https://api.linkedin.com/rest/videos/urn%3Ali%3Avideo%3A1");
  });
});
