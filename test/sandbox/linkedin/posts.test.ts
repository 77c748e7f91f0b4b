import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { asAna, calmLinkedin, enc, entity, PAGE, published, rest, restWith, settings } from "../../support/linkedin.ts";
import { send } from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";

/** What the simulated LinkedIn promises of posts and files. */

let token = "";
let person = "";
beforeAll(async () => {
  ({ token, person } = await asAna());
});
afterEach(calmLinkedin);

const create = (body: object, as = token) => rest(as, "POST", "rest/posts", body);
const created = (commentary: string, more?: Readonly<Record<string, unknown>>) => published(token, commentary, more);

const ANALYSED = "urn:li:organization:9004";

describe("posts", () => {
  test.for([
    ["as a page without a role that posts", { author: ANALYSED }, 403, "[/author]"],
    ["as somebody else", { author: "urn:li:person:nobody" }, 403, "[/author]"],
    ["as a thing", { author: "urn:li:share:1" }, 400, "INVALID_URN_TYPE"],
    ["of a page to connections only", { visibility: "CONNECTIONS" }, 400, "visibility"],
    ["without a state", { lifecycleState: undefined }, 400, "MISSING_FIELD"],
    ["of more than 3,000 characters", { commentary: "a".repeat(3001) }, 400, "FIELD_LENGTH_TOO_LONG"],
    [
      "of two kinds",
      { content: { article: { source: "https://a.example" }, media: { id: "urn:li:image:1" } } },
      400,
      "one kind",
    ],
    ["with one image of several", { content: { multiImage: { images: [{ id: "urn:li:image:1" }] } } }, 400, "2 to 20"],
    [
      "with a video among images",
      { content: { multiImage: { images: [{ id: "urn:li:video:1" }, { id: "urn:li:video:2" }] } } },
      400,
      "INVALID_VIDEO_ID",
    ],
    ["with an image that is not there", { content: { media: { id: "urn:li:image:none" } } }, 400, "INVALID_IMAGE_ID"],
    [
      "with a poll of one answer",
      { content: { poll: { question: "?", options: [{ text: "A" }], settings: { duration: "ONE_DAY" } } } },
      400,
      "options",
    ],
  ] as const)("%s are refused", async ([, more, status, words]) => {
    const answer = await create({ ...entity("x"), ...more });
    expect(answer).toMatchObject({ status, text: expect.stringContaining(words) });
  });

  test.for([
    ["an unescaped bracket cuts the text, silently", "price (new)", "price "],
    ["an escaped one does not", "price \\(new\\)", "price (new)"],
    ["hashtags and known mentions stand", "#bikes @[Acme Bikes](urn:li:organization:9001)", "#bikes Acme Bikes"],
    ["an underscore cuts as well", "a_b", "a"],
  ] as const)("little text: %s", async ([, sent, shown]) => {
    const mark = crypto.randomUUID();
    await created(`${mark} ${sent}`);
    expect(await sandbox.postsWith(mark)).toMatchObject([{ text: `${mark} ${shown}` }]);
  });

  test("is read back with templates, a mention of another name as plain text", async () => {
    const urn = await created(`${crypto.randomUUID()} \\(x\\) #bikes @[acme](urn:li:organization:9001)`);
    const read = await rest(token, "GET", `rest/posts/${enc(urn)}`);
    expect(z.object({ commentary: z.string() }).parse(read.json).commentary).toMatch(
      / \\\(x\\\) \{hashtag\|\\#\|bikes\} acme$/,
    );
  });

  test("the number of a post reports its time; its activity has another one", async () => {
    const before = Date.now();
    const urn = await created(uniquely("Numbered"));
    const made = Number(BigInt(urn.split(":").at(-1) ?? "0") >> 22n);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
    const counts = await rest(token, "GET", `rest/socialActions/${enc(urn)}`);
    const { target } = z.object({ target: z.string() }).parse(counts.json);
    expect(target).toMatch(/^urn:li:activity:\d+$/);
    expect(target.split(":").at(-1)).not.toBe(urn.split(":").at(-1));
  });

  test("a post that is only accepted is shown to its author alone", async () => {
    await settings({
      linkedin_publish_requested_ms: 60_000,
      linkedin_early_posts: "fail_later",
      processing_ms: 60_000,
    });
    const image = await uploaded();
    const urn = await created(uniquely("Early"), { content: { media: { id: image } } });
    const read = (as: string) => rest(token, "GET", `rest/posts/${enc(urn)}?viewContext=${as}`);
    expect((await read("AUTHOR")).json).toMatchObject({ lifecycleState: "PUBLISH_FAILED" });
    expect((await read("READER")).status).toBe(404);
  });

  test("a duplicate names the post that exists, or a URN that never was", async () => {
    const text = uniquely("Twice");
    const urn = await created(text);
    expect(await create(entity(text))).toMatchObject({
      status: 422,
      json: {
        message: `Content is a duplicate of ${urn}`,
        errorDetailType: "com.linkedin.common.error.BadRequest",
        errorDetails: { inputErrors: [{ code: "DUPLICATE_POST", input: {} }] },
      },
    });
    await settings({ linkedin_duplicate_names: "ghost" });
    const { message } = z.object({ message: z.string() }).parse((await create(entity(text))).json);
    const ghost = /urn:li:share:\d+$/.exec(message)?.[0] ?? "";
    expect((await rest(token, "GET", `rest/posts/${enc(ghost)}`)).status).toBe(404);
    await settings({ linkedin_duplicate_window_ms: 0 });
    expect((await create(entity(text))).status).toBe(201);
  });

  test("an edit is a POST that says so, and changes the text alone", async () => {
    const urn = enc(await created(uniquely("Before")));
    const patch = { patch: { $set: { commentary: "After \\(all\\)" } } };
    expect((await rest(token, "POST", `rest/posts/${urn}`, patch)).status).toBe(400);
    const partly = restWith({ "X-RestLi-Method": "PARTIAL_UPDATE" });
    const edited = await partly(token, "POST", `rest/posts/${urn}`, patch);
    expect(edited.status).toBe(204);
    const read = await rest(token, "GET", `rest/posts/${urn}`);
    expect(read.json).toMatchObject({ commentary: "After \\(all\\)", lifecycleStateInfo: { isEditedByAuthor: true } });
    expect((await rest(token, "DELETE", `rest/posts/${urn}`)).status).toBe(204);
    expect((await rest(token, "DELETE", `rest/posts/${urn}`)).status).toBe(404);
  });
});

const ImageAnnounced = z.object({ value: z.object({ image: z.string(), uploadUrl: z.string() }) });

async function sample(name: string): Promise<ArrayBuffer> {
  return (await env.SANDBOX.fetch(sandbox.media(name))).arrayBuffer();
}

async function announce(owner = PAGE) {
  const body = { initializeUploadRequest: { owner } };
  return ImageAnnounced.parse((await rest(token, "POST", "rest/images?action=initializeUpload", body)).json).value;
}

const put = (url: string, body: ArrayBuffer, bearer: string | null = token) =>
  send(url, { method: "PUT", body, headers: bearer === null ? {} : { Authorization: `Bearer ${bearer}` } });

async function uploaded(name = "square.jpg", owner = PAGE): Promise<string> {
  const { image, uploadUrl } = await announce(owner);
  await put(uploadUrl, await sample(name));
  return image;
}

describe("files", () => {
  const statusOf = async (kind: string, urn: string) => (await rest(token, "GET", `rest/${kind}/${enc(urn)}`)).json;

  test("an image wants the token, and belongs to its owner", async () => {
    const { image, uploadUrl } = await announce(person);
    expect((await put(uploadUrl, await sample("square.jpg"), null)).status).toBe(401);
    expect((await put(uploadUrl, await sample("square.jpg"))).status).toBe(201);
    expect(await create(entity("x", { content: { media: { id: image } } }))).toMatchObject({
      status: 400,
      json: { message: "One or more of the assets is not owned by the author" },
    });
    expect((await create(entity(uniquely("Mine"), { author: person, content: { media: { id: image } } }))).status).toBe(
      201,
    );
  });

  test("is waited for, processed, and then there or not", async () => {
    await settings({ processing_ms: 60_000 });
    const { image, uploadUrl } = await announce();
    expect(await statusOf("images", image)).toMatchObject({ status: "WAITING_UPLOAD", owner: PAGE });
    await put(uploadUrl, await sample("square.jpg"));
    expect(await statusOf("images", image)).toMatchObject({ status: "PROCESSING" });
    const early = await create(entity("x", { content: { media: { id: image } } }));
    expect(early).toMatchObject({ status: 400, json: { code: "MEDIA_ASSET_PROCESSING" } });
    await settings({ processing_ms: 0 });
    expect(await statusOf("images", await uploaded("photo.webp"))).toMatchObject({ status: "PROCESSING_FAILED" });
    expect(await statusOf("images", await uploaded("anim.gif"))).toMatchObject({ status: "AVAILABLE" });
  });

  const Video = z.object({
    value: z.object({ video: z.string(), uploadInstructions: z.array(z.object({ uploadUrl: z.string() })) }),
  });
  async function parts(sizes: readonly number[] | "as asked") {
    await settings({ linkedin_video_part_bytes: 30_000 });
    const clip = await sample("clip.mp4");
    const announced = await rest(token, "POST", "rest/videos?action=initializeUpload", {
      initializeUploadRequest: { owner: PAGE, fileSizeBytes: clip.byteLength },
    });
    const { video, uploadInstructions } = Video.parse(announced.json).value;
    const uploadedPartIds: string[] = [];
    for (const [at, { uploadUrl }] of uploadInstructions.entries()) {
      const start = at * 30_000;
      const length = sizes === "as asked" ? 30_000 : (sizes[at] ?? 0);
      const answer = await put(uploadUrl, clip.slice(start, start + length), null);
      uploadedPartIds.push(answer.headers.get("etag") ?? "");
    }
    return { video, uploadedPartIds };
  }
  const finalize = (video: string, uploadedPartIds: readonly string[]) =>
    rest(token, "POST", "rest/videos?action=finalizeUpload", {
      finalizeUploadRequest: { video, uploadToken: "", uploadedPartIds },
    });

  test("a video is whole only with its parts in order, quotes or not", async () => {
    const { video, uploadedPartIds } = await parts("as asked");
    expect(uploadedPartIds).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^"\w+"$/)));
    expect((await finalize(video, uploadedPartIds.toReversed())).status).toBe(400);
    expect((await finalize(video, uploadedPartIds.slice(1))).status).toBe(400);
    const bare = uploadedPartIds.map((etag) => etag.replaceAll('"', ""));
    expect((await finalize(video, bare)).status).toBe(200);
    expect((await finalize(video, bare)).status).toBe(400);
    expect(await statusOf("videos", video)).toMatchObject({ status: "AVAILABLE", aspectRatioWidth: 1280 });
  });

  test("a part with other bytes than were requested spoils it", async () => {
    const { video, uploadedPartIds } = await parts([30_000, 20_000, 21_580]);
    expect((await finalize(video, uploadedPartIds)).status).toBe(400);
  });

  test("a document goes up like an image, and wants a title", async () => {
    const body = { initializeUploadRequest: { owner: PAGE } };
    const announced = await rest(token, "POST", "rest/documents?action=initializeUpload", body);
    const Document = z.object({ value: z.object({ document: z.string(), uploadUrl: z.string() }) });
    const { document, uploadUrl } = Document.parse(announced.json).value;
    await put(uploadUrl, await new Blob(["%PDF-1.7\n%%EOF\n"]).arrayBuffer());
    expect((await create(entity("x", { content: { media: { id: document } } }))).json).toMatchObject({
      code: "MISSING_FIELD",
    });
    const titled = { content: { media: { id: document, title: "Prices" } } };
    expect((await create(entity(uniquely("Document"), titled))).status).toBe(201);
  });
});
