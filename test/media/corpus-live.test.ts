import { env } from "cloudflare:workers";
import { inject, test } from "vitest";
import { z } from "zod";
import { bodyOf, factsOf, type Home, homeOn, NAMES, type Name, planFor } from "../contract/world.ts";
import { seenIn } from "../support/pictures.ts";
import { queuesIdle } from "../support/queue.ts";
import { type Bytes, uploadFile } from "../support/uploads.ts";
import { createPost, findPost } from "../support/world.ts";

/**
 * Files of foreign programs (corpus/make.sh) on every platform: what validate-post takes is published by the
 * sandbox, which reads files by its own code. What it refuses is refused before anything is sent.
 */
const FILES = z.record(z.string(), z.string()).parse(
  import.meta.glob("./corpus/*.{jpg,png,gif,webp,mp4,mov,webm,pdf,docx,pptx,doc,docm}", {
    eager: true,
    query: "?inline",
    import: "default",
  }),
);

/** Every twelfth, others with each seed (CONTRACT_SEED); all of them with CONTRACT=all. */
const { isWhole, seed } = inject("contract");
const every = isWhole ? 1 : 12;
const chosen = Object.keys(FILES).filter((_, index) => index % every === (seed ?? 0) % every);

function bytesOf(path: string): Bytes {
  const [, base64 = ""] = /^data:[^,]*;base64,(.*)$/.exec(FILES[path] ?? "") ?? [];
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

const Refused = z.object({ code: z.string(), errors: z.record(z.string(), z.array(z.string())) });

/** A post of this one file, in each of the platform's ways to post one. */
function postsOf(name: Name, url: string): Record<string, unknown>[] {
  const types = new Set(
    planFor(name)
      .shapes.filter(({ items }) => items.length === 1)
      .map(({ type }) => type),
  );
  return [...types].map((type) => ({
    ...factsOf(name).required,
    ...bodyOf({ name: type, type, items: [[]] }, crypto.randomUUID()),
    media_urls: [url],
    publish_mode: "now",
  }));
}

const Valid = z.object({ items: z.array(z.object({ fitted: z.array(z.object({ description: z.string() })) })) });
const Events = z.object({ events: z.array(z.looseObject({ type: z.string(), message: z.string() })) });
const Copy = z.object({ detail: z.object({ file: z.object({ copy_url: z.string(), mime: z.string() }) }) });

/**
 * The post that the platform's rules take, and the copy that is made for it; null if each is refused, with a
 * sentence about the file.
 */
async function accepted(home: Home, url: string) {
  for (const post of postsOf(home.channel.channel_type, url)) {
    const { status, body } = await home.project.call("POST", "/social/validate-post", {
      body: { ...home.channel, ...post },
    });
    if (status === 200) return { post, fitted: Valid.parse(body).items[0]?.fitted[0]?.description ?? null };
    const { code, errors } = Refused.parse(body);
    if (code !== "media_invalid" || errors.media_urls === undefined) throw new Error(JSON.stringify(body));
  }
  return null;
}

/** What is wrong with the copy of a published post, as a decoder sees it; null if nothing. */
async function flawOfCopy({ project }: Home, id: number, fitted: string | null): Promise<string | null> {
  const { body } = await project.call("GET", `/social/get-post-events/${id}`);
  const made = Events.parse(body).events.filter(({ type }) => type === "post.fitted");
  const [event] = made;
  if (fitted === null || !event)
    return made.length === (fitted === null ? 0 : 1) ? null : "has no copy in its timeline";
  if (!event.message.includes(fitted)) return `has ${event.message} and not ${fitted}`;
  const { file } = Copy.parse(event).detail;
  const [, name = ""] = /media\/(\w{32})/.exec(file.copy_url) ?? [];
  const object = await env.FILES.get(name);
  if (object === null) return "has a copy that is not in the bucket";
  const bytes = new Uint8Array(await object.arrayBuffer());
  if (file.mime === "video/mp4") {
    const text = new TextDecoder("latin1").decode(bytes);
    const hasHeaderInFront = text.slice(4, 8) === "ftyp" && text.indexOf("moov") < text.indexOf("mdat");
    return hasHeaderInFront ? null : "has a copy whose header is not in front";
  }
  const { space, orientation } = await seenIn(bytes);
  return orientation === 1 && ["srgb", "b-w"].includes(space) ? null : `has a copy in ${space}, turned ${orientation}`;
}

/** Each file takes a second on a busy machine. */
const LIMIT_MS = 60_000 + chosen.length * 3_000;

test.for(NAMES)(
  "on %s, a file is published as validate-post says, or refused",
  { timeout: LIMIT_MS },
  async (name, { expect }) => {
    const home = await homeOn(name);
    const sent: {
      readonly path: string;
      readonly type: unknown;
      readonly id: number;
      readonly fitted: string | null;
    }[] = [];
    for (const path of chosen) {
      const upload = await uploadFile(home.project, bytesOf(path));
      if (upload.status !== 200) {
        expect(upload, path).toMatchObject({ status: 422, body: { code: "media_invalid" } });
        continue;
      }
      const { data } = z.object({ data: z.object({ url: z.string() }) }).parse(upload.body);
      const found = await accepted(home, data.url);
      if (found !== null) {
        const id = await createPost(home.project, home.channel, found.post);
        sent.push({ path, type: found.post.post_type, id, fitted: found.fitted });
        await queuesIdle();
      }
    }
    const failures: string[] = [];
    for (const { path, type, id, fitted } of sent) {
      const { STATUS, error } = await findPost(home.project, id);
      if (STATUS !== "published") failures.push(`${path} as ${type} is ${STATUS}: ${error}`);
      const flaw = STATUS === "published" ? await flawOfCopy(home, id, fitted) : null;
      if (flaw !== null) failures.push(`${path} as ${type} ${flaw}`);
    }
    expect(failures).toEqual([]);
  },
);
