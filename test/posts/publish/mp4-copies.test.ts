import { env } from "cloudflare:workers";
import { afterEach, describe, test } from "vitest";
import { z } from "zod";
import { arm, disarm, makeMortal } from "../../contract/mortal.ts";
import { answering, quiet } from "../../support/between.ts";
import { fragmentOf, headerOf } from "../../support/mp4-fragments.ts";
import { readPackets } from "../../support/mp4-packets.ts";
import { passSwept, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE } from "../../support/times.ts";
import { type Bytes, get, sample, uploaded } from "../../support/uploads.ts";
import { createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** Videos that a platform does not take as they are packaged: an MP4 of them is made and sent. */
makeMortal();
afterEach(() => {
  disarm();
  quiet();
});

const FILES = z.record(z.string(), z.string()).parse(
  import.meta.glob("../../media/corpus/{fragments.mp4,prores.mov,sound-pcm.mov,hevc-fragments.mp4}", {
    eager: true,
    query: "?inline",
    import: "default",
  }),
);

function corpus(name: string): Bytes {
  const [, base64 = ""] = /^data:[^,]*;base64,(.*)$/.exec(FILES[`../../media/corpus/${name}`] ?? "") ?? [];
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** Three seconds in fragments of one frame each, 12 MB: three parts in the bucket. */
const large = (): Bytes =>
  new Uint8Array(
    Buffer.concat([
      headerOf(corpus("fragments.mp4")),
      ...Array.from({ length: 90 }, (_, at) => fragmentOf(at, 130_000)),
    ]),
  );

const Row = z.object({ name: z.string(), bytes: z.number(), fitted_from: z.string(), media: z.string().nullable() });

async function copiesOf(project: Project) {
  const query =
    "SELECT name, bytes, fitted_from, media FROM files WHERE fit_rule IS NOT NULL AND project_id = (SELECT id FROM projects WHERE name = ?)";
  return z.array(Row).parse((await env.DB.prepare(query).bind(project.name).all()).results);
}

async function eventsOf(project: Project, id: number) {
  const shown = await project.call("GET", `/social/get-post-events/${id}`);
  return z.object({ events: z.array(z.looseObject({ type: z.string(), message: z.string() })) }).parse(shown.body)
    .events;
}

async function published(project: Project, channel: Parameters<typeof createPost>[1], more: Record<string, unknown>) {
  const caption_text = crypto.randomUUID();
  const id = await createPost(project, channel, { caption_text, ...more });
  await queuesIdle();
  // A delivery that died is sent again by a sweep.
  if (!["published", "failed"].includes((await findPost(project, id)).STATUS)) await passSwept(10 * MINUTE);
  return { id, found: await findPost(project, id), live: await sandbox.postsWith(caption_text) };
}

const bytesAt = async (url: string): Promise<Bytes> => new Uint8Array(await (await get(url)).arrayBuffer());

describe("a MOV", () => {
  test.for(["linkedin", "bluesky"] as const)(
    "is sent to %s as an MP4, made once for two posts",
    async (name, { expect }) => {
      const { project, channel } = await projectWith(name);
      const { url } = await uploaded(project, await sample("clip.mov"));
      const first = await published(project, channel, { media_urls: [url] });
      expect(first.found).toMatchObject({ STATUS: "published" });
      expect(first.live).toHaveLength(1);
      const [copy, ...others] = await copiesOf(project);
      expect(others).toEqual([]);
      const title = name === "linkedin" ? "LinkedIn" : "Bluesky";
      expect(await eventsOf(project, first.id)).toContainEqual(
        expect.objectContaining({
          type: "post.fitted",
          message: expect.stringContaining(`an MP4 for ${title}`),
        }),
      );
      const second = await published(project, channel, { media_urls: [url] });
      expect(second.found).toMatchObject({ STATUS: "published" });
      expect(await copiesOf(project)).toEqual([copy]);
      const file = await bytesAt(url.replace(/[^/]+$/, `${copy?.name}.mp4`));
      expect(file.byteLength).toBe(copy?.bytes);
      expect(readPackets(file).map(({ handler, packets }) => [handler, packets.length])).toEqual([
        ["vide", expect.any(Number)],
        ["soun", expect.any(Number)],
      ]);
    },
  );

  test("is sent as it is where the platform takes it", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const { url } = await uploaded(project, await sample("clip.mov"));
    expect((await published(project, channel, { media_urls: [url] })).found).toMatchObject({ STATUS: "published" });
    expect(await copiesOf(project)).toEqual([]);
  });

  test("is refused as today with `fit: strict`", async ({ expect }) => {
    const { project, channel } = await projectWith("bluesky");
    const { url } = await uploaded(project, await sample("clip.mov"));
    const { found } = await published(project, channel, { media_urls: [url], options: { fit: "strict" } });
    expect(found).toMatchObject({ STATUS: "failed", error: expect.stringMatching(/is a MOV file; allowed here: MP4/) });
  });

  test.for([
    ["prores.mov", /encoded as ProRes.*Export it with H\.264, 8 bit, 4:2:0, AAC/],
    ["sound-pcm.mov", /with PCM audio.*Export it with H\.264, 8 bit, 4:2:0, AAC/],
  ] as const)("whose codec an MP4 has no place for is refused: %s", async ([name, error], { expect }) => {
    const { project, channel } = await projectWith("bluesky");
    const { url } = await uploaded(project, corpus(name));
    const { found, live } = await published(project, channel, { media_urls: [url] });
    expect(found).toMatchObject({ STATUS: "failed", error: expect.stringMatching(error) });
    expect(live).toEqual([]);
  });
});

describe("an MP4 in fragments", () => {
  test.for(["twitter", "facebook", "instagram", "threads"] as const)(
    "is sent to %s without them",
    async (name, { expect }) => {
      const { project, channel } = await projectWith(name);
      const { url } = await uploaded(project, corpus("fragments.mp4"));
      const type = name === "instagram" ? { post_type: "reel" } : {};
      const { found, live } = await published(project, channel, { media_urls: [url], ...type });
      expect(found).toMatchObject({ STATUS: "published" });
      expect(live).toHaveLength(1);
      const [copy] = await copiesOf(project);
      const file = await bytesAt(url.replace(/[^/]+$/, `${copy?.name}.mp4`));
      expect(readPackets(file).map(({ packets }) => packets.length)).toEqual([90, expect.any(Number)]);
    },
  );

  test("at an address elsewhere is copied as well, again if its bytes change", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    let file = corpus("fragments.mp4");
    answering((request) => {
      if (request.url !== "https://elsewhere.example.com/clip.mp4") return null;
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.get("range") ?? "") ?? [];
      const part = file.slice(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.byteLength - 1}/${file.byteLength}`;
      return new Response(part, { status: 206, headers: { "Content-Range": range } });
    });
    const more = { media_urls: ["https://elsewhere.example.com/clip.mp4"] };
    expect((await published(project, channel, more)).found).toMatchObject({ STATUS: "published" });
    expect((await published(project, channel, more)).found).toMatchObject({ STATUS: "published" });
    expect(await copiesOf(project)).toHaveLength(1);
    file = corpus("hevc-fragments.mp4");
    expect((await published(project, channel, more)).found).toMatchObject({ STATUS: "published" });
    expect(await copiesOf(project)).toHaveLength(2);
  });

  test("of many megabytes passes in parts; a delivery that dies anywhere continues, and one copy is left", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("facebook");
    const { url } = await uploaded(project, large());
    arm();
    let acts = 0;
    answering((request) => {
      // The copy is made: what follows is publishing as of any other file.
      if (acts === 0 && /\/videos\b/.test(request.url)) acts = disarm();
      return null;
    });
    const first = await published(project, channel, { media_urls: [url] });
    quiet();
    expect(acts).toBeGreaterThan(15);
    expect(first.found).toMatchObject({ STATUS: "published" });
    const [copy] = await copiesOf(project);
    const whole = await bytesAt(url.replace(/[^/]+$/, `${copy?.name}.mp4`));
    expect(readPackets(whole).map(({ packets }) => packets.length)).toEqual([90]);
    for (let at = 4; at < acts; at += 3) {
      const other = await projectWith("facebook");
      const again = await uploaded(other.project, large());
      arm({ [at]: at % 2 === 0 ? "dies" : "loses the answer" });
      const { found, live } = await published(other.project, other.channel, { media_urls: [again.url] });
      disarm();
      expect(found, `act ${at}`).toMatchObject({ STATUS: "published" });
      expect(live).toHaveLength(1);
      const made = await copiesOf(other.project);
      expect(made).toHaveLength(1);
      expect(await bytesAt(again.url.replace(/[^/]+$/, `${made[0]?.name}.mp4`))).toEqual(whole);
    }
  }, 240_000);
});
