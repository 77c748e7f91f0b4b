import { env } from "cloudflare:workers";
import { afterEach, describe, test } from "vitest";
import { z } from "zod";
import { answeringPictures, painted, seenIn, takePictureCalls } from "../../support/pictures.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { type Bytes, sample, uploaded } from "../../support/uploads.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** Pictures that a platform does not take as they are get a copy that fits, and are published with it. */
const FILES = z.record(z.string(), z.string()).parse(
  import.meta.glob("../../media/corpus/*.{jpg,png,webp,avif}", {
    eager: true,
    query: "?inline",
    import: "default",
  }),
);

function corpus(name: string): Bytes {
  const [, base64 = ""] = /^data:[^,]*;base64,(.*)$/.exec(FILES[`../../media/corpus/${name}`] ?? "") ?? [];
  if (base64 === "") throw new Error(`No file ${name}.`);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

const Valid = z.object({
  items: z.array(
    z.object({
      fitted: z.array(
        z.object({ url: z.string(), mime: z.string(), width: z.number(), height: z.number(), description: z.string() }),
      ),
      media: z.array(z.object({ mime: z.string(), width: z.number(), height: z.number() })),
    }),
  ),
});
const Events = z.object({ events: z.array(z.looseObject({ type: z.string(), message: z.string() })) });

type Home = { readonly project: Project; readonly channel: ChannelRef };
const post = (url: string, more: object = {}) => ({
  post_type: "post",
  publish_mode: "now",
  media_urls: [url],
  ...more,
});

async function validated({ project, channel }: Home, url: string) {
  const { status, body } = await project.call("POST", "/social/validate-post", {
    body: { ...channel, ...post(url), caption_text: "A picture" },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return Valid.parse(body).items[0];
}

async function timeline({ project }: Home, id: number) {
  const { body } = await project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(body).events;
}

/** Publishes the file, and returns what the platform has received. */
async function published(home: Home, url: string, more: object = {}) {
  const mark = crypto.randomUUID();
  const id = await createPost(home.project, home.channel, { ...post(url, more), caption_text: mark });
  await queuesIdle();
  const found = await findPost(home.project, id);
  if (found.STATUS !== "published") throw new Error(JSON.stringify(found));
  const [live] = await sandbox.postsWith(mark);
  const path = live?.received[0] ?? null;
  if (path === null) throw new Error(`Nothing was received: ${JSON.stringify(live)}`);
  const bytes = new Uint8Array(await (await env.SANDBOX.fetch(`http://sandbox.test${path}`)).arrayBuffer());
  return { id, bytes, live, events: await timeline(home, id) };
}

const isNear = (pixel: readonly number[] | undefined, [r, g, b]: readonly [number, number, number]) =>
  pixel !== undefined && [r, g, b].every((value, at) => Math.abs(value - (pixel[at] ?? -1)) < 40);

afterEach(() => answeringPictures());

describe("a picture that does not fit", () => {
  test.for([
    ["rgb8.png", "instagram"],
    ["lossy.webp", "instagram"],
    ["avif.avif", "instagram"],
    ["lossless.webp", "facebook"],
    ["avif.avif", "twitter"],
    ["avif.avif", "bluesky"],
    ["avif.avif", "threads"],
    ["lossy.webp", "linkedin"],
  ] as const)("of another format is published as a JPEG: %s on %s", async ([name, platform], { expect }) => {
    const home = await projectWith(platform);
    const { url } = await uploaded(home.project, corpus(name));
    takePictureCalls();
    const item = await validated(home, url);
    expect(item?.fitted).toEqual([expect.objectContaining({ url, mime: "image/jpeg" })]);
    expect(item?.media[0]?.mime).not.toBe("image/jpeg");
    expect(takePictureCalls().calls).toBe(0);
    const { bytes, events } = await published(home, url);
    const seen = await seenIn(bytes);
    const [fitted] = item?.fitted ?? [];
    expect(seen).toMatchObject({ format: "jpeg", width: fitted?.width, height: fitted?.height, space: "srgb" });
    const title = events.find(({ type }) => type === "post.fitted")?.message;
    expect(title).toContain(`a JPEG of ${seen.width} × ${seen.height} for `);
    expect(takePictureCalls().calls).toBe(1);
  });

  test.for([
    [4032, 3024, 1440, 1080],
    [1400, 1400, 1080, 1080],
    [1086, 1448, 1080, 1440],
    [2000, 900, 1920, 864],
  ] as const)("of too many pixels is scaled down: %d × %d on TikTok", async (sizes, { expect }) => {
    const [wide, high, ...fitted] = sizes;
    await sandbox.settings({ tiktok_verified_urls: "https://belfry.test/media/" });
    const home = await projectWith("tiktok");
    const { url } = await uploaded(home.project, await painted(wide, high));
    const item = await validated(home, url);
    expect(item?.fitted).toMatchObject([{ mime: "image/jpeg", description: `a JPEG of ${fitted.join(" × ")}` }]);
    const { bytes } = await published(home, url);
    const { width, height, format } = await seenIn(bytes);
    expect(format).toBe("jpeg");
    expect([width, height]).toEqual(fitted);
    await sandbox.settings({ tiktok_verified_urls: "" });
  });

  test("is as wide as Instagram shows it", async ({ expect }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, await painted(4032, 3024, { format: "png", sigma: 0 }));
    const { bytes, events } = await published(home, url);
    expect(await seenIn(bytes)).toMatchObject({ format: "jpeg", width: 1440, height: 1080 });
    expect(events.map(({ message }) => message).join(" ")).toContain("a JPEG of 1440 × 1080 for Instagram");
  });

  test("of too many bytes gets fewer: over 2 MB on Bluesky", async ({ expect }) => {
    const home = await projectWith("bluesky");
    const picture = await painted(3000, 2000, { sigma: 25 });
    expect(picture.byteLength).toBeGreaterThan(2_000_000);
    const { url } = await uploaded(home.project, picture);
    const { bytes } = await published(home, url);
    expect(bytes.byteLength).toBeLessThanOrEqual(2_000_000);
    const { width, height } = await seenIn(bytes);
    expect(width / height).toBeCloseTo(1.5, 2);
    expect(width).toBeLessThanOrEqual(3000);
  });

  test("in colors for print is published in sRGB, and stays as it looks", async ({ expect }) => {
    const home = await projectWith("facebook");
    const { url } = await uploaded(home.project, corpus("cmyk.jpg"));
    const before = await seenIn(corpus("cmyk.jpg"));
    expect(before.space).toBe("cmyk");
    const { bytes } = await published(home, url);
    const seen = await seenIn(bytes);
    expect(seen).toMatchObject({ format: "jpeg", space: "srgb", width: before.width, height: before.height });
    for (const [index, pixel] of seen.pixels.entries()) {
      const [r = 0, g = 0, b = 0] = before.pixels[index] ?? [];
      expect(isNear(pixel, [r, g, b])).toBe(true);
    }
  });

  test.for([2, 3, 4, 5, 6, 7, 8])(
    "turned by EXIF (%i) is turned where the platform ignores that",
    async (turn, { expect }) => {
      const home = await projectWith("bluesky");
      const { url } = await uploaded(home.project, corpus(`exif-${turn}.jpg`));
      const upright = await seenIn(corpus(`exif-${turn}.jpg`), "turned");
      const { bytes } = await published(home, url);
      const seen = await seenIn(bytes);
      expect(seen).toMatchObject({ orientation: 1, width: upright.width, height: upright.height });
      for (const [index, pixel] of seen.pixels.entries()) {
        const [r = 0, g = 0, b = 0] = upright.pixels[index] ?? [];
        expect(isNear(pixel, [r, g, b])).toBe(true);
      }
    },
  );

  test("is transparent on white", async ({ expect }) => {
    const home = await projectWith("instagram");
    for (const name of ["rgba8.png", "alpha.webp"]) {
      const before = await seenIn(corpus(name));
      const { url } = await uploaded(home.project, corpus(name));
      const { bytes } = await published(home, url);
      const seen = await seenIn(bytes);
      expect(seen).toMatchObject({ format: "jpeg", hasAlpha: false });
      for (const [index, [r = 0, g = 0, b = 0, a = 255]] of before.pixels.entries()) {
        const onWhite = (value: number) => Math.round((value * a + 255 * (255 - a)) / 255);
        expect(isNear(seen.pixels[index], [onWhite(r), onWhite(g), onWhite(b)])).toBe(true);
      }
    }
  });

  test("keeps its alternative text, and the mark of how it was made", async ({ expect }) => {
    const home = await projectWith("bluesky");
    const { url } = await uploaded(home.project, corpus("avif.avif"));
    const { live } = await published(home, url, { alt_texts: ["A bell"] });
    expect(JSON.stringify(live)).toContain("A bell");
    const instagram = await projectWith("instagram");
    const { url: marked } = await uploaded(instagram.project, await markedPng());
    const { live: seen } = await published(instagram, marked);
    expect(seen?.source_types).toEqual(["trainedAlgorithmicMedia"]);
  });

  test("elsewhere gets one too, one for all posts with the same bytes", async ({ expect }) => {
    const home = await projectWith("instagram");
    takePictureCalls();
    const address = "https://sandbox.test/_media/photo.webp";
    const first = await published(home, address);
    const second = await published(home, address);
    expect(takePictureCalls().calls).toBe(1);
    expect((await seenIn(first.bytes)).format).toBe("jpeg");
    expect(second.bytes).toEqual(first.bytes);
    expect(second.events.map(({ type }) => type)).toContain("post.fitted");
  });

  test("in two posts at once has one copy", async ({ expect }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, corpus("rgb8.png"));
    takePictureCalls();
    const ids = await Promise.all(
      [1, 2, 3].map(() => createPost(home.project, home.channel, { ...post(url), caption_text: crypto.randomUUID() })),
    );
    await queuesIdle();
    for (const id of ids) expect(await findPost(home.project, id)).toMatchObject({ STATUS: "published" });
    expect(takePictureCalls()).toEqual({ calls: 1, atOnce: 1 });
  });

  test("is refused with `options.fit` strict, and without the engine", async ({ expect }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, corpus("rgb8.png"));
    const body = { ...home.channel, ...post(url, { options: { fit: "strict" } }), caption_text: "Strict" };
    const refused = await home.project.call("POST", "/social/validate-post", { body });
    expect(refused).toMatchObject({ status: 422, body: { code: "media_invalid" } });
    expect(JSON.stringify(refused.body)).toContain("is a PNG file; allowed here: JPEG.");
    takePictureCalls();
    const id = await createPost(home.project, home.channel, body);
    await queuesIdle();
    expect(await findPost(home.project, id)).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("is a PNG file; allowed here: JPEG."),
    });
    expect(takePictureCalls().calls).toBe(0);
    const shown = await home.project.call("GET", `/social/post/${id}?include=content`);
    expect(JSON.stringify(shown.body)).toContain('"fit":"strict"');
  });

  test("by its ratio is refused by that, with both numbers", async ({ expect }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, await painted(400, 1000, { format: "png", sigma: 0 }));
    const refused = await home.project.call("POST", "/social/validate-post", {
      body: { ...home.channel, ...post(url), caption_text: "Tall" },
    });
    expect(refused).toMatchObject({ status: 422, body: { code: "media_invalid" } });
    expect(JSON.stringify(refused.body)).toContain("a ratio of 0.4 (width to height); 0.75 to 1.91 is allowed");
  });

  test("that the engine cannot read fails the post, with a sentence; one that is busy is called again", async ({
    expect,
  }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, await sample("square.heic"));
    const id = await createPost(home.project, home.channel, { ...post(url), caption_text: crypto.randomUUID() });
    await queuesIdle();
    const { STATUS, error } = await findPost(home.project, id);
    expect(STATUS).toBe("failed");
    expect(error).toContain("Cloudflare's Images does not read it (code 9412)");
    let times = 0;
    answeringPictures(() => (++times < 3 ? Response.json({ code: 9522, message: "busy" }, { status: 503 }) : null));
    const { url: again } = await uploaded(home.project, corpus("rgb8.png"));
    await published(home, again);
    expect(times).toBe(3);
  });

  test("as HEIC is published as the engine answers", async ({ expect }) => {
    const home = await projectWith("instagram");
    const { url } = await uploaded(home.project, await sample("square.heic"));
    const answer = await painted(64, 48);
    answeringPictures(() => new Response(answer));
    const item = await validated(home, url);
    expect(item?.fitted).toMatchObject([{ mime: "image/jpeg" }]);
    const { bytes } = await published(home, url);
    expect(bytes).toEqual(answer);
  });
});

/** A PNG that says that a model made it, as generated pictures do. */
async function markedPng(): Promise<Bytes> {
  const { markPicture } = await import("../../../src/media/picture-mark.ts");
  const marked = markPicture(await painted(640, 640, { format: "png", sigma: 0 }), {
    type: "trainedAlgorithmicMedia",
    models: ["A model"],
  });
  if (marked === null) throw new Error("The sample was not marked.");
  return marked;
}
