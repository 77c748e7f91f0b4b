import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { PLATFORM_NAMES, type PlatformName, type PostType } from "../../src/platforms/names.ts";
import { crossed } from "../contract/sample.ts";
import { callsTo } from "../contract/world.ts";
import { newAccount } from "../support/accounts.ts";
import { altering, quiet } from "../support/between.ts";
import { markOf } from "../support/file-marks.ts";
import { generate, INPUT, KINDS, type Kind } from "../support/generations.ts";
import { box, bytes, zeros } from "../support/media-files.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { SANDBOX, sandbox } from "../support/sandbox.ts";
import { findPost, Project } from "../support/world.ts";

/**
 * Every kind of generated post, on platforms drawn for it, and on every platform in CI: it is refused, or
 * what the platform receives says that a model made the media, in the request where the platform has a field,
 * and in the bytes of each file.
 */

afterEach(() => {
  quiet();
  queue.loseAll();
});

/** LinkedIn takes no video below 75 KB, and some of the simulated server are smaller. */
function enlargeVideos(): void {
  altering(async ({ url }, answer) => {
    if (!url.endsWith("/content")) return null;
    const video = bytes(new Uint8Array(await answer.arrayBuffer()), box("free", zeros(20_000)));
    return new Response(video, { headers: { "Content-Length": String(video.byteLength) } });
  });
}

/** What the request that creates the post contains, where the platform has a field for AI. */
const FIELDS: Readonly<Partial<Record<PlatformName, string>>> = {
  instagram: "is_ai_generated=true",
  tiktok: '"is_aigc":true',
  twitter: '"made_with_ai":true',
  youtube: '"containsSyntheticMedia":true',
};

/** The types of post of each platform, or why it takes none. */
type Targets = Readonly<Record<PlatformName, readonly PostType[] | RegExp>>;

const TEXT: Targets = {
  facebook: ["post"],
  instagram: /image|video|file/,
  linkedin: ["post"],
  threads: ["post"],
  tiktok: /image|video|file/,
  twitter: ["tweet"],
  youtube: /video|file/,
  bluesky: ["post"],
};
const PICTURES: Targets = {
  facebook: ["post"],
  instagram: ["post"],
  linkedin: ["post"],
  threads: ["post"],
  tiktok: ["post"],
  twitter: ["post"],
  youtube: /image|video|file/,
  bluesky: ["post"],
};
const VIDEO: Targets = {
  facebook: ["reel"],
  instagram: ["reel"],
  linkedin: ["post"],
  threads: ["post"],
  tiktok: ["reel"],
  twitter: ["post"],
  youtube: ["reel"],
  bluesky: ["post"],
};

interface Expected {
  readonly targets: Targets;
  /** The Digital Source Type of each file, and the models that it names. */
  readonly mark: { readonly types: readonly string[]; readonly systems: readonly string[] } | null;
}
const trained = (models: string) => ({ types: ["trainedAlgorithmicMedia"], systems: [models] });

const EXPECTED: Readonly<Record<Kind, Expected>> = {
  text_only: { targets: TEXT, mark: null },
  ai_image_post: { targets: { ...PICTURES, instagram: ["post", "story"] }, mark: trained("sandbox-image") },
  ai_banner_post: { targets: PICTURES, mark: { types: ["algorithmicMedia"], systems: [] } },
  breel: { targets: VIDEO, mark: trained("sandbox-video") },
  talking_reel: { targets: { ...VIDEO, facebook: ["reel", "story"] }, mark: trained("sandbox-video") },
  faceless_reel: { targets: VIDEO, mark: trained("sandbox-video, sandbox-speech") },
};

const Accepted = z.object({
  data: z.object({ post_id: z.int() }),
  warnings: z.array(z.string()).default([]),
});
const Recorded = z.array(z.looseObject({ id: z.number(), body: z.string().nullish() }));
const Labels = z.array(z.string());

test.for(KINDS)("%s", async (kind) => {
  enlargeVideos();
  const project = await Project.create();
  const { media_urls, caption_text } = await generate(project, kind, { input: `${INPUT}, declared as ${kind}` });
  const { targets, mark } = EXPECTED[kind];
  const isVideo = media_urls.some((url) => url.endsWith(".mp4"));
  for (const platform of crossed(`declared ${kind}`, PLATFORM_NAMES, 3)) {
    const account = await newAccount(platform);
    const [channel_id] = await project.connect(platform, [account]);
    const body = {
      channel_type: platform,
      channel_id,
      publish_mode: "now",
      media_urls,
      caption_text: caption_text.slice(0, 200),
      ...(platform === "youtube" ? { post_extra: { title: "Buns" } } : {}),
    };
    const types = targets[platform];
    if (types instanceof RegExp) {
      const refusal = await project.call("POST", "/social/validate-post", { body: { ...body, post_type: "post" } });
      expect([platform, refusal]).toMatchObject([
        platform,
        { status: 422, body: { message: expect.stringMatching(types) } },
      ]);
      continue;
    }
    for (const post_type of types) {
      const at = `${platform} ${post_type}`;
      const before = Recorded.parse(await callsTo(platform)).at(-1)?.id ?? 0;
      const answer = await project.call("POST", "/social/create-post", { body: { ...body, post_type } });
      const { data, warnings } = Accepted.parse(answer.body);
      await queuesIdle();
      expect([at, await findPost(project, data.post_id)]).toMatchObject([at, { STATUS: "published" }]);
      const bodies = Recorded.parse(await callsTo(platform)).filter(({ id }) => id > before);
      const field = FIELDS[platform];
      // TikTok has the field for videos only.
      const isCarried = mark !== null && field !== undefined && (platform !== "tiktok" || isVideo);
      const said = bodies.filter(({ body }) => field !== undefined && decodeURIComponent(body ?? "").includes(field));
      expect([at, said.length]).toEqual([at, isCarried ? 1 : 0]);
      const leftOut = warnings.filter((warning) => warning.startsWith("`declared.made_with_ai` is left out: "));
      expect([at, leftOut.length]).toEqual([at, mark !== null && !isCarried ? 1 : 0]);
      const [live] = (await sandbox.posts(platform)).filter(({ account_id }) => account_id === account);
      expect([at, Labels.parse(live?.labels).length]).toEqual([at, isCarried ? 1 : 0]);
      expect([at, live?.received.length]).toEqual([at, media_urls.length]);
      for (const path of live?.received ?? []) {
        const { packets, ...found } = markOf(await receivedBytes(path));
        expect([at, found, packets.length]).toEqual([at, mark, 1]);
      }
    }
  }
});

/** The bytes of a file as the platform received them. */
async function receivedBytes(path: string | null): Promise<Uint8Array> {
  const answer = await env.SANDBOX.fetch(new URL(path ?? "/_blob/none", SANDBOX).href);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}
