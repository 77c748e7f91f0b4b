import { describe, test } from "vitest";
import type { PrepareOutcome } from "../../../src/platforms/publishing.ts";
import type { CallRequest, Lost, Send } from "../../../src/platforms/request.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { accountContext, content, type Scripted, scriptedSend, video } from "../../scripted-send.ts";
import { INFO, jsonOf, MIB, OPENED, ok, prepared, refused, stored, TASK } from "./upload-script.ts";

/** A video in one chunk, or in several where TikTok refuses that. */

const { posts } = tiktok;
const status = ok;

describe("one chunk", () => {
  const first = async (bytes: number, ...answers: readonly (Scripted | "lost")[]) =>
    prepared(content("post", ["x", video("a.mp4", bytes)]), [ok(INFO), ...answers]);
  const chunksIn = (call: CallRequest | undefined) => {
    const { source_info } = call ? (jsonOf(call) as { source_info: Record<string, number> }) : { source_info: {} };
    return [source_info.chunk_size, source_info.total_chunk_count];
  };

  test.for([1, 5_000_000, 10 * MIB, 64_000_000])(
    "is tried first for a video of %i bytes",
    async (bytes, { expect }) => {
      const { outcome, calls } = await first(bytes, OPENED);
      expect(outcome).toMatchObject({ kind: "ready", progress: { offset: 0, publishId: TASK } });
      expect(chunksIn(calls[1])).toEqual([bytes, 1]);
    },
  );

  test.for(["invalid_param", "invalid_params"])(
    "that is refused (%s) is followed by several, and the other way round; both only once",
    async (code, { expect }) => {
      const not: Scripted = {
        status: 400,
        body: { error: { code, message: "The chunk size is invalid", log_id: "L" }, data: {} },
      };
      const several = await first(10 * MIB, not, OPENED, stored(5 * MIB - 1, 10 * MIB));
      expect(several.outcome).toMatchObject({ kind: "ready", progress: { form: "several", isFallback: true } });
      expect(chunksIn(several.calls[2])).toEqual([5 * MIB, 2]);
      const one = await first(64_000_001, not, OPENED);
      expect(one.outcome).toMatchObject({ kind: "ready", progress: { form: "one", isFallback: true } });
      expect(chunksIn(one.calls[2])).toEqual([64_000_001, 1]);
      for (const bytes of [64_000_000, 64_000_001]) {
        expect((await first(bytes, not, not)).outcome).toMatchObject({ reason: "rejected", code: "media_invalid" });
      }
      expect((await first(64 * MIB + 1, not)).outcome).toMatchObject({
        reason: "rejected",
        code: "media_invalid",
        message: expect.stringContaining("at most 64 MB"),
      });
    },
  );

  test("another refusal is no matter of the chunks", async ({ expect }) => {
    expect((await first(20_000_000, refused("invalid_params", 400))).outcome).toMatchObject({ reason: "rejected" });
  });

  const WHOLE = content("post", ["x", video("a.mp4", 20_000_000)]);
  const sent = async (...answers: readonly (Scripted | Lost)[]) => {
    const { progress } = await prepared(WHOLE, [ok(INFO), OPENED]);
    const calls: CallRequest[] = [];
    const send: Send = async (call) => {
      const answer = answers[calls.length];
      calls.push(call);
      if (answer === undefined) throw new Error(`An unscripted call: ${call.method} ${call.url}`);
      if ("kind" in answer) return answer;
      return await scriptedSend(answer).send(call);
    };
    const outcome = await posts.commit(accountContext(send), WHOLE, progress, { index: 0, previous: [] });
    return { outcome, calls, limit: posts.commitBytes?.(WHOLE, progress) };
  };
  const lacking = status({ status: "PROCESSING_UPLOAD", uploaded_bytes: 0 });
  const lost: Lost = { kind: "lost", message: "It broke off." };
  const refusal = (code: number): Lost => {
    return { ...lost, refusal: { kind: "answered", status: code, headers: new Headers(), text: "", body: null } };
  };

  test("is sent as a stream of parts, with time for each", async ({ expect }) => {
    const { outcome, calls, limit } = await sent(stored(19_999_999, 20_000_000, 201));
    expect(outcome).toMatchObject({ kind: "accepted", post: { id: TASK } });
    expect(limit).toBe(20_000_000);
    expect(calls).toMatchObject([
      {
        headers: { "content-range": "bytes 0-19999999/20000000" },
        part: { kind: "series", length: 20_000_000 },
        timeoutMs: 135_000,
      },
    ]);
  });

  test("that TikTok refuses while it is streamed is cut again where the task has nothing", async ({ expect }) => {
    const { outcome } = await sent(refusal(400), lacking);
    if (outcome.kind !== "unprepared") throw new Error(`It is ${outcome.kind}.`);
    const { send } = scriptedSend(lacking, ok(INFO), OPENED);
    const context = accountContext(send);
    let step: PrepareOutcome = { kind: "more", progress: outcome.progress };
    for (let at = 0; at < 3 && step.kind === "more"; at++) step = await posts.prepare(context, WHOLE, step.progress);
    expect(step).toMatchObject({ kind: "more", progress: { form: "several", publishId: TASK } });
  });

  test("that TikTok refuses although it has it all is accepted", async ({ expect }) => {
    const whole = status({ status: "PROCESSING_UPLOAD", uploaded_bytes: 20_000_000 });
    expect((await sent(refusal(400), whole)).outcome).toMatchObject({ kind: "accepted" });
    expect((await sent(refusal(403), whole)).outcome).toMatchObject({ kind: "accepted" });
  });

  test("that breaks off before its last byte is sent again, and then in several", async ({ expect }) => {
    const { outcome } = await sent({ ...lost, isCutOff: true });
    expect(outcome).toMatchObject({ kind: "unprepared", progress: { breaks: 1, stopped: null } });
    if (outcome.kind !== "unprepared") throw new Error("It is not.");
    const send: Send = async () => ({ ...lost, isCutOff: true });
    const second = await posts.commit(accountContext(send), WHOLE, outcome.progress, { index: 0, previous: [] });
    expect(second).toMatchObject({ kind: "unprepared", progress: { stopped: "form" } });
  });

  test("whose answer is lost after its last byte, or is an error, is unknown", async ({ expect }) => {
    expect((await sent(lost)).outcome.kind).toBe("unknown");
    expect((await sent(refusal(500))).outcome.kind).toBe("unknown");
    expect((await sent(refusal(503))).outcome.kind).toBe("unknown");
  });
});
