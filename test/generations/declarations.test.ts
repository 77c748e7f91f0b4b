import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import type { PlatformName } from "../../src/platforms/names.ts";
import { callsTo } from "../contract/world.ts";
import { newAccount } from "../support/accounts.ts";
import { generate, INPUT, KINDS, type Kind } from "../support/generations.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { findPost, Project } from "../support/world.ts";

/**
 * Every kind of generated post on every platform: what the platform receives says that a model made the
 * media.
 */

afterEach(() => queue.loseAll());

/** What the request that creates the post contains, where the platform has a field for AI. */
const FIELDS: Readonly<Partial<Record<PlatformName, string>>> = {
  instagram: "is_ai_generated=true",
  tiktok: '"is_aigc":true',
  twitter: '"made_with_ai":true',
  youtube: '"containsSyntheticMedia":true',
};

const VIDEOS: readonly Kind[] = ["breel", "talking_reel", "faceless_reel"];

/** The platforms that take such a post, and as what. */
function targetsOf(kind: Kind): readonly (readonly [PlatformName, string])[] {
  const texts = ["facebook", "linkedin", "threads", "twitter"] as const;
  if (kind === "text_only") return texts.map((name) => [name, "post"] as const);
  const pictures = [...texts, "instagram", "tiktok"] as const;
  if (!VIDEOS.includes(kind)) return pictures.map((name) => [name, "post"] as const);
  // LinkedIn takes no video of less than three seconds.
  const videos = [...pictures.filter((name) => kind !== "breel" || name !== "linkedin"), "youtube" as const];
  return videos.map((name) => [name, "post"] as const);
}

const Accepted = z.object({
  data: z.object({ post_id: z.int() }),
  warnings: z.array(z.string()).default([]),
});
const Recorded = z.array(z.looseObject({ id: z.number(), body: z.string().nullish() }));
const Live = z.looseObject({ labels: z.array(z.string()) });

test.for(KINDS)("%s", async (kind) => {
  const project = await Project.create();
  const { media_urls, caption_text } = await generate(project, kind, { input: `${INPUT}, declared as ${kind}` });
  for (const [platform, post_type] of targetsOf(kind)) {
    const [channel_id] = await project.connect(platform, [await newAccount(platform)]);
    const mark = crypto.randomUUID();
    const before = Recorded.parse(await callsTo(platform)).at(-1)?.id ?? 0;
    const answer = await project.call("POST", "/social/create-post", {
      body: {
        ...{ channel_type: platform, channel_id, post_type, publish_mode: "now", media_urls },
        caption_text: `${mark} ${caption_text}`.slice(0, 200),
        ...(platform === "youtube" ? { post_extra: { title: "Buns" } } : {}),
      },
    });
    const { data, warnings } = Accepted.parse(answer.body);
    await queuesIdle();
    expect([platform, await findPost(project, data.post_id)]).toMatchObject([platform, { STATUS: "published" }]);
    const bodies = Recorded.parse(await callsTo(platform)).filter(({ id }) => id > before);
    const field = FIELDS[platform];
    const hasMedia = media_urls.length > 0;
    // TikTok has the field for videos only.
    const isCarried = hasMedia && field !== undefined && (platform !== "tiktok" || VIDEOS.includes(kind));
    const said = bodies.filter(({ body }) => field !== undefined && decodeURIComponent(body ?? "").includes(field));
    expect([platform, said.length]).toEqual([platform, isCarried ? 1 : 0]);
    const [live] = await sandbox.postsWith(mark);
    expect([platform, Live.parse(live).labels.length]).toEqual([platform, isCarried ? 1 : 0]);
    const leftOut = warnings.filter((warning) => warning.startsWith("`declared.made_with_ai` is left out: "));
    expect([platform, leftOut.length]).toEqual([platform, hasMedia && field === undefined ? 1 : 0]);
  }
});
