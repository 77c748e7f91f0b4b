import { inject, test } from "vitest";
import { z } from "zod";
import { bodyOf, factsOf, type Home, homeOn, NAMES, type Name, planFor } from "../contract/world.ts";
import { queuesIdle } from "../support/queue.ts";
import { type Bytes, uploadFile } from "../support/uploads.ts";
import { createPost, findPost } from "../support/world.ts";

/**
 * Files of foreign programs (corpus/make.sh) on every platform: what validate-post takes is published by the
 * sandbox, which reads files by its own code. What it refuses is refused before anything is sent.
 */
const FILES = z.record(z.string(), z.string()).parse(
  import.meta.glob("./corpus/*.{jpg,png,gif,webp,mp4,mov,webm}", {
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

/** The post that the platform's rules take; null if each is refused, with a sentence about the file. */
async function accepted(home: Home, url: string): Promise<Record<string, unknown> | null> {
  for (const post of postsOf(home.channel.channel_type, url)) {
    const { status, body } = await home.project.call("POST", "/social/validate-post", {
      body: { ...home.channel, ...post },
    });
    if (status === 200) return post;
    const { code, errors } = Refused.parse(body);
    if (code !== "media_invalid" || errors.media_urls === undefined) throw new Error(JSON.stringify(body));
  }
  return null;
}

/** Each file takes a second on a busy machine. */
const LIMIT_MS = 60_000 + chosen.length * 3_000;

test.for(NAMES)(
  "on %s, a file is published as validate-post says, or refused",
  { timeout: LIMIT_MS },
  async (name, { expect }) => {
    const home = await homeOn(name);
    const sent: { readonly path: string; readonly type: unknown; readonly id: number }[] = [];
    for (const path of chosen) {
      const upload = await uploadFile(home.project, bytesOf(path));
      if (upload.status !== 200) {
        expect(upload, path).toMatchObject({ status: 422, body: { code: "media_invalid" } });
        continue;
      }
      const { data } = z.object({ data: z.object({ url: z.string() }) }).parse(upload.body);
      const post = await accepted(home, data.url);
      if (post !== null) {
        const id = await createPost(home.project, home.channel, post);
        sent.push({ path, type: post.post_type, id });
        await queuesIdle();
      }
    }
    const failures: string[] = [];
    for (const { path, type, id } of sent) {
      const { STATUS, error } = await findPost(home.project, id);
      if (STATUS !== "published") failures.push(`${path} as ${type} is ${STATUS}: ${error}`);
    }
    expect(failures).toEqual([]);
  },
);
