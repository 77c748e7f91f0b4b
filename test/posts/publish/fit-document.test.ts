import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { calm, type Home } from "../../contract/world.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media, SANDBOX, sandbox } from "../../support/sandbox.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Pictures that become one document on LinkedIn (`options.document`). */

const PAGE = "urn:li:organization:9001";
let page: Home;
beforeAll(async () => {
  page = await projectWith("linkedin", PAGE);
});
afterEach(calm);

async function publish(body: Readonly<Record<string, unknown>>) {
  const caption = `Pages ${crypto.randomUUID()}`;
  const id = await createPost(page.project, page.channel, {
    caption_text: caption,
    options: { document: true },
    ...body,
  });
  await queuesIdle();
  return { id, caption, post: await findPost(page.project, id), live: await sandbox.postsWith(caption) };
}

const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string() })) });
const eventsOf = async (id: number) =>
  Events.parse((await page.project.call("GET", `/social/get-post-events/${id}`)).body).events;

async function received(path: string | null | undefined): Promise<string> {
  const response = await env.SANDBOX.fetch(new URL(path ?? "", SANDBOX).href);
  return new TextDecoder("latin1").decode(await response.arrayBuffer());
}

const pageSizes = (pdf: string) => [...pdf.matchAll(/\/MediaBox \[0 0 (\d+) (\d+)\]/g)].map(([, ...size]) => size);

test("pictures are published as the pages of one PDF, in their order, with title and alt texts", async () => {
  const own = await uploaded(page.project, await sample("square.png"));
  const { id, post, live } = await publish({
    media_urls: [media("landscape.jpg"), own.url, media("square.jpg")],
    alt_texts: ["A quay", "", "A bell"],
    options: { document: true, title: "Three pages" },
  });
  expect(post).toMatchObject({ STATUS: "published" });
  expect(live).toMatchObject([
    { title: "Three pages", alt_texts: ["1: A quay\n3: A bell"], media: [expect.any(String)] },
  ]);
  const pdf = await received(live[0]?.media[0]);
  expect(pdf.startsWith("%PDF-1.5\n")).toBe(true);
  expect(pageSizes(pdf)).toEqual([
    ["1200", "900"],
    ["1080", "1080"],
    ["1080", "1080"],
  ]);
  expect((await eventsOf(id)).map(({ message }) => message)).toContain(
    "A copy of landscape.jpg is sent: a PDF of 3 pages for LinkedIn.",
  );
});

test("the document of the same pictures is made once", async () => {
  const files = { media_urls: [media("square.jpg"), media("landscape.jpg")] };
  const [first, second] = [await publish(files), await publish(files)];
  const copies = async ({ id }: { readonly id: number }) =>
    (await page.project.call("GET", `/social/get-post-events/${id}`)).body;
  const Copied = z.object({
    events: z.array(z.object({ detail: z.looseObject({ file: z.looseObject({ copy_url: z.string() }).optional() }) })),
  });
  const addressOf = async (one: { readonly id: number }) =>
    Copied.parse(await copies(one)).events.flatMap(({ detail }) => detail.file?.copy_url ?? []);
  expect(await addressOf(first)).toHaveLength(1);
  expect(await addressOf(second)).toEqual(await addressOf(first));
});

test.for(["accept_then_drop", "accept_then_error", "error"] as const)(
  "pictures as a document whose post meets %s are published once",
  async (kind) => {
    await sandbox.fault("linkedin", "publish", kind);
    const { post, live } = await publish({ media_urls: [media("square.jpg"), media("landscape.jpg")] });
    expect(post).toMatchObject({ STATUS: "published" });
    expect(live).toHaveLength(1);
  },
);

test("a picture that cannot be a page fails the post, which names it and says what to do", async () => {
  const media_urls = [media("square.jpg"), media("photo.webp")];
  const { post, live } = await publish({ media_urls, options: { document: true, fit: "strict" } });
  expect(post).toMatchObject({
    STATUS: "failed",
    error: expect.stringMatching(/photo\.webp is a WebP file; allowed here: JPEG/),
  });
  expect(live).toEqual([]);
});

test("validate-post takes title and document for pictures, and leaves out what does not fit", async () => {
  const validate = async (body: Readonly<Record<string, unknown>>) =>
    z.object({ warnings: z.array(z.string()).default([]) }).parse(
      (
        await page.project.call("POST", "/social/validate-post", {
          body: { ...page.channel, post_type: "post", publish_mode: "now", caption_text: "Pages", ...body },
        })
      ).body,
    ).warnings;
  const options = { document: true, title: "Pages" };
  expect(await validate({ media_urls: [media("square.jpg"), media("square.png")], options })).toEqual([]);
  expect(await validate({ media_urls: [media("square.jpg")], options: { title: "Pages" } })).toEqual([
    "`options.title` is left out: linkedin has a field for it with a video or document only.",
  ]);
  expect(await validate({ media_urls: [media("clip.mp4")], options })).toEqual([
    "`options.document` is left out: linkedin has a field for it with an image only.",
  ]);
});
