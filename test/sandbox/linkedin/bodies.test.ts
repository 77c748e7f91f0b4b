import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { asAna, calmLinkedin, enc, entity, PAGE, published, rest, restWith, settings } from "../../support/linkedin.ts";
import { send } from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";

/** How the simulated LinkedIn reads bodies, requests for several ids, and files that belong to a video. */
let token = "";
beforeAll(async () => {
  ({ token } = await asAna());
});
afterEach(calmLinkedin);

describe("a field that a body must not have", () => {
  test.for([true, false])("is a 422 that names it, in a strict sandbox or not (%s)", async (strict) => {
    await settings({ strict });
    const before = (await sandbox.posts("linkedin")).length;
    for (const [more, path] of [
      [{ nonsense: 1 }, "/nonsense"],
      [{ distribution: { feedDistribution: "MAIN_FEED", reach: "all" } }, "/distribution/reach"],
    ] as const) {
      const answer = await rest(token, "POST", "rest/posts", entity(uniquely("odd"), more));
      expect(answer).toMatchObject({ status: 422, text: expect.stringContaining(`${path} :: unrecognized field`) });
    }
    expect(await sandbox.posts("linkedin")).toHaveLength(before);
  });
});

describe("BATCH_GET", () => {
  const batch = (resource: string, ids: readonly string[], method = "BATCH_GET") =>
    restWith({ "X-RestLi-Method": method })(token, "GET", `rest/${resource}?ids=List(${ids.map(enc).join(",")})`);

  test("answers each post, or why not", async () => {
    const urn = await published(token, uniquely("one of several"));
    const answer = await batch("posts", [urn, "urn:li:share:1"]);
    expect(answer).toMatchObject({ status: 200, json: { results: { [urn]: { id: urn } }, statuses: {} } });
    expect(answer).toMatchObject({ json: { errors: { "urn:li:share:1": { status: 404 } } } });
  });

  test("answers files as well, and none to the development tier", async () => {
    const { image } = Announced.parse((await announce("images", { owner: PAGE })).json).value;
    const answer = await batch("images", [image ?? "", "urn:li:image:none"]);
    expect(answer).toMatchObject({
      status: 200,
      json: {
        results: { [image ?? ""]: { status: "WAITING_UPLOAD" } },
        errors: { "urn:li:image:none": { status: 404 } },
      },
    });
    await settings({ linkedin_tier: "development" });
    expect((await batch("images", [image ?? ""])).status).toBe(403);
  });

  test.for(["FINDER", "GET"])("is not what the header %s says", async (method) => {
    expect((await batch("posts", ["urn:li:share:1"], method)).status).toBe(400);
  });
});

const Announced = z.object({
  value: z.looseObject({
    image: z.string().optional(),
    video: z.string().optional(),
    captionsUploadUrl: z.string().optional(),
    thumbnailUploadUrl: z.string().optional(),
    uploadInstructions: z.array(z.object({ uploadUrl: z.string() })).optional(),
  }),
});
const announce = (resource: string, initializeUploadRequest: object) =>
  rest(token, "POST", `rest/${resource}?action=initializeUpload`, { initializeUploadRequest });

describe("files beside a video", () => {
  const sample = async (name: string) =>
    new Uint8Array(await (await env.SANDBOX.fetch(sandbox.media(name))).arrayBuffer());

  test("have addresses where they were requested, and are shown with the video", async () => {
    const clip = await sample("clip.mp4");
    const request = { owner: PAGE, fileSizeBytes: clip.length, uploadCaptions: true, uploadThumbnail: true };
    const { value } = Announced.parse((await announce("videos", request)).json);
    const put = (url = "", body: BodyInit, authorization = `Bearer ${token}`) =>
      send(url, { method: "PUT", body, headers: { authorization } });
    expect((await put(value.captionsUploadUrl, "1\n00:00:00,000 --> 00:00:02,000\nHello\n")).status).toBe(201);
    expect((await put(value.thumbnailUploadUrl, await sample("square.jpg"))).status).toBe(201);
    expect((await put(value.thumbnailUploadUrl, "no picture")).status).toBe(400);
    expect((await put(value.thumbnailUploadUrl, await sample("square.jpg"), "Bearer none")).status).toBe(401);
    const shown = await rest(token, "GET", `rest/videos/${enc(value.video ?? "")}`);
    expect(shown).toMatchObject({
      json: { thumbnail: expect.stringContaining("/_blob/"), captions: expect.stringContaining("/_blob/") },
    });
  });

  test("have none where they were not", async () => {
    const { value } = Announced.parse((await announce("videos", { owner: PAGE, fileSizeBytes: 100_000 })).json);
    expect(value).not.toHaveProperty("captionsUploadUrl");
    expect(value).not.toHaveProperty("thumbnailUploadUrl");
  });
});
