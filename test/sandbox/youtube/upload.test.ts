import { describe, test } from "vitest";
import { z } from "zod";
import { YOUTUBE_CHANNELS } from "../../support/person.ts";
import { sandbox } from "../../support/sandbox.ts";
import {
  DAY_MS,
  googleLogin,
  later,
  listed,
  loginAs,
  METADATA,
  openSession,
  put,
  reasonOf,
  sessionOf,
  simulated,
  UNIT,
  upload,
  Video,
  youtubeApi,
} from "../../support/youtube.ts";

/** What the simulated YouTube promises of videos on their way: sessions, metadata, processing. */
const yt = simulated();

describe("a resumable session", () => {
  test("takes a whole file, answers the parts that were requested, and repeats its answer", async ({ expect }) => {
    const session = await sessionOf(METADATA, { Slug: "clip.mp4" });
    const first = await put(session, yt.clip, undefined, null);
    expect(first.status).toBe(201);
    const { id, ...video } = Video.parse(first.json);
    expect(video).toMatchObject({
      snippet: { title: "A video", categoryId: "22" },
      status: { privacyStatus: "public" },
    });
    expect(video).not.toHaveProperty("fileDetails");
    for (const again of [await put(session, null, `bytes */${yt.clip.length}`), await put(session, yt.clip)]) {
      expect(again).toMatchObject({ status: 200, json: { id } });
    }
    const [shown] = await listed(`videos?part=fileDetails,processingDetails&id=${id}`);
    expect(shown).toMatchObject({ fileDetails: { fileSize: String(yt.clip.length), fileName: "clip.mp4" } });
    await sandbox.settings({ youtube_finished_session: "gone" });
    expect((await put(session, null, `bytes */${yt.clip.length}`)).status).toBe(404);
  });

  /** Larger than the samples: a session does not check its bytes before it has all of them. */
  const big = new Uint8Array(3 * UNIT + 7);
  const bigSession = () => sessionOf(METADATA, { "X-Upload-Content-Length": String(big.length) });
  const range = (start: number, end: number) => `bytes ${start}-${end - 1}/${big.length}`;
  const request = (session: string) => put(session, null, `bytes */${big.length}`);

  test("reports what it has: nothing, some, all", async ({ expect }) => {
    const session = await bigSession();
    const nothing = await request(session);
    expect([nothing.status, nothing.headers.get("range")]).toEqual([308, null]);
    const some = await put(session, big.slice(0, 2 * UNIT), range(0, 2 * UNIT));
    expect([some.status, some.headers.get("range"), some.text]).toEqual([308, `bytes=0-${2 * UNIT - 1}`, ""]);
    expect((await put(session, big.slice(2 * UNIT), range(2 * UNIT, big.length))).status).toBe(201);
  });

  test("stores neither gaps nor overlaps, and says so in one way or the other", async ({ expect }) => {
    const session = await bigSession();
    await put(session, big.slice(0, UNIT), range(0, UNIT));
    for (const start of [0, 2 * UNIT]) {
      const answer = await put(session, big.slice(start, start + UNIT), range(start, start + UNIT));
      expect([answer.status, answer.headers.get("range")]).toEqual([308, `bytes=0-${UNIT - 1}`]);
    }
    await sandbox.settings({ youtube_misplaced_bytes: "refuse" });
    expect((await put(session, big.slice(0, UNIT), range(0, UNIT))).status).toBe(400);
    expect((await request(session)).headers.get("range")).toBe(`bytes=0-${UNIT - 1}`);
  });

  test("keeps half of a chunk when a setting says so, at a unit's border", async ({ expect }) => {
    await sandbox.settings({ youtube_partial_storage: true });
    const answer = await put(await bigSession(), big.slice(0, 3 * UNIT), range(0, 3 * UNIT));
    expect(answer.headers.get("range")).toBe(`bytes=0-${2 * UNIT - 1}`);
  });

  test.for([
    ["a chunk of no whole units", 1000, `bytes 0-999/${big.length}`],
    ["another size than announced", UNIT, `bytes 0-${UNIT - 1}/9999999`],
    ["fewer bytes than the range says", UNIT, `bytes 0-${2 * UNIT - 1}/${big.length}`],
    ["a range that is none", UNIT, "bytes none"],
  ] as const)("refuses %s", async ([, length, header], { expect }) => {
    expect(reasonOf(await put(await bigSession(), new Uint8Array(length), header))).toBe("400 badRequest");
  });

  test("outlives a token that ended, needs none, and ends by itself", async ({ expect }) => {
    const session = await bigSession();
    expect(reasonOf(await put(session, null, `bytes */${big.length}`, "ended"))).toBe("401 authError");
    expect((await put(session, null, `bytes */${big.length}`, null)).status).toBe(308);
    await later(7 * DAY_MS);
    expect(await request(session)).toMatchObject({ status: 404, text: "Not Found" });
  });

  test("is not opened for other media, in a conflict, or without a part", async ({ expect }) => {
    expect(reasonOf(await openSession(METADATA, { "X-Upload-Content-Type": "image/png" }))).toBe("400 badContent");
    await sandbox.settings({ youtube_session_conflicts: 1 });
    expect(reasonOf(await openSession())).toBe("409 alreadyExists");
    expect((await openSession()).status).toBe(200);
    const partless = "/upload/youtube/v3/videos?uploadType=resumable";
    expect(reasonOf(await youtubeApi("POST", partless, yt.token, METADATA))).toBe("400 missingRequiredParameter");
    expect(reasonOf(await openSession(METADATA, {}, "&nonsense=1"))).toBe("400 unexpectedParameter");
  });
});

describe("what is said about a video", () => {
  const snippet = { title: "t", description: "d" };
  test.for([
    ["an empty title", { snippet: { title: "" } }, "invalidTitle"],
    ["no title", { status: {} }, "invalidTitle"],
    ["a long title", { snippet: { title: "t".repeat(101) } }, "invalidTitle"],
    ["an angle in the title", { snippet: { title: "a < b" } }, "invalidTitle"],
    [
      "a description of too many bytes",
      { snippet: { title: "t", description: "é".repeat(2501) } },
      "invalidDescription",
    ],
    ["an angle in the description", { snippet: { title: "t", description: ">" } }, "invalidDescription"],
    ["too many tags", { snippet: { title: "t", tags: ["a b".repeat(83), "c".repeat(250)] } }, "invalidTags"],
    ["a category that takes no videos", { snippet: { title: "t", categoryId: "30" } }, "invalidCategoryId"],
    ["a category that is none", { snippet: { title: "t", categoryId: "99" } }, "invalidCategoryId"],
    [
      "a time for a public video",
      { snippet, status: { privacyStatus: "public", publishAt: "2031-01-01T00:00:00Z" } },
      "invalidPublishAt",
    ],
    ["a privacy that is none", { snippet, status: { privacyStatus: "secret" } }, "invalidVideoMetadata"],
    ["a part that was not asked for", { snippet, localizations: {} }, "unexpectedPart"],
    ["a field that is not known", { snippet: { title: "t", headline: "x" } }, "invalidVideoMetadata"],
  ] as const)("is refused with %s", async ([, body, reason], { expect }) => {
    expect(reasonOf(await openSession(body))).toBe(`400 ${reason}`);
  });

  test("without a privacy it is public; a made-for-kids video takes no comments", async ({ expect }) => {
    const id = await upload({ snippet, status: { selfDeclaredMadeForKids: true } });
    const [video] = await listed(`videos?part=status&id=${id}`);
    expect(video).toMatchObject({ status: { privacyStatus: "public", madeForKids: true } });
    const threads = await youtubeApi("GET", `/youtube/v3/commentThreads?part=id&videoId=${id}`, yt.token);
    expect(reasonOf(threads)).toBe("403 commentsDisabled");
  });

  test("a scheduled video turns public when its time has come, and others see it then", async ({ expect }) => {
    const publishAt = new Date(Date.now() + 600_000).toISOString();
    const id = await upload({ snippet, status: { privacyStatus: "private", publishAt } });
    const stranger = (await googleLogin({ account: YOUTUBE_CHANNELS.fern })).access_token;
    expect(await listed(`videos?part=status&id=${id}`, stranger)).toEqual([]);
    expect(await listed(`videos?part=status&id=${id}`)).toMatchObject([
      { status: { privacyStatus: "private", publishAt } },
    ]);
    await later(601_000);
    expect(await listed(`videos?part=status&id=${id}`, stranger)).toMatchObject([
      { status: { privacyStatus: "public" } },
    ]);
  });

  test("an update erases what it leaves out of a part; the strange and the unknown cannot be changed", async ({
    expect,
  }) => {
    const id = await upload({ snippet: { ...snippet, tags: ["a"] }, status: { privacyStatus: "unlisted" } });
    const update = (body: object, login = yt.token) =>
      youtubeApi("PUT", "/youtube/v3/videos?part=snippet", login, body);
    expect(reasonOf(await update({ id, snippet: { title: "new" } }))).toBe("400 invalidCategoryId");
    const changed = await update({ id, snippet: { title: "new", categoryId: "22" } });
    expect(changed.json).toMatchObject({ snippet: { title: "new", description: "" } });
    expect(changed.json).not.toHaveProperty("snippet.tags");
    const stranger = (await googleLogin({ account: YOUTUBE_CHANNELS.fern })).access_token;
    expect(reasonOf(await update({ id, snippet: { title: "x", categoryId: "22" } }, stranger))).toBe("403 forbidden");
    expect(reasonOf(await update({ id: "none", snippet: { title: "x", categoryId: "22" } }))).toBe("404 videoNotFound");
  });
});

describe("processing", () => {
  const state = async (id: string) => {
    const [video] = await listed(`videos?part=status,processingDetails&id=${id}`);
    return z.looseObject({ status: z.looseObject({ uploadStatus: z.string() }) }).parse(video);
  };

  test("takes its time, and ends as the title says", async ({ expect }) => {
    await sandbox.settings({ processing_ms: 60_000 });
    const good = await upload();
    const bad = await upload({ snippet: { title: "x [failed:codec]" } });
    const worse = await upload({ snippet: { title: "x [rejected:copyright]" } });
    expect(await state(good)).toMatchObject({
      status: { uploadStatus: "uploaded" },
      processingDetails: { processingStatus: "processing" },
    });
    await later(60_000);
    expect(await state(good)).toMatchObject({ status: { uploadStatus: "processed" } });
    expect(await state(bad)).toMatchObject({ status: { uploadStatus: "failed", failureReason: "codec" } });
    expect(await state(worse)).toMatchObject({ status: { uploadStatus: "rejected", rejectionReason: "copyright" } });
    const live = (await sandbox.posts("youtube")).map(({ id }) => id);
    expect([good, bad, worse].map((id) => live.includes(id))).toEqual([true, false, false]);
  });

  test("finds out that a file is no video", async ({ expect }) => {
    const text = new Uint8Array(new TextEncoder().encode("No video at all."));
    const session = await sessionOf(METADATA, { "X-Upload-Content-Length": String(text.length) });
    const { id } = Video.parse((await put(session, text)).json);
    expect(await state(id)).toMatchObject({ status: { uploadStatus: "failed", failureReason: "invalidFile" } });
  });

  test("rejects more than fifteen minutes of a channel that is not verified", async ({ expect }) => {
    // The movie header's duration, in its own time scale of a second's fractions.
    const at = new TextDecoder("latin1").decode(yt.clip).indexOf("mvhd");
    const long = new Uint8Array(yt.clip);
    const header = new DataView(long.buffer, at + 4);
    header.setUint32(16, header.getUint32(12) * 901);
    const uploadAs = async (account: string) => {
      await loginAs(account);
      const { id } = Video.parse((await put(await sessionOf(), long)).json);
      return state(id);
    };
    expect(await uploadAs(YOUTUBE_CHANNELS.bikes)).toMatchObject({ status: { rejectionReason: "length" } });
    expect(await uploadAs(YOUTUBE_CHANNELS.bakery)).toMatchObject({ status: { uploadStatus: "processed" } });
  });
});
