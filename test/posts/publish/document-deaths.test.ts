import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  arm,
  disarm,
  type Fate,
  isStalled,
  makeBucketMortal,
  makeMortal,
  resume,
  untilStalled,
} from "../../contract/mortal.ts";
import { IS_WHOLE } from "../../contract/sample.ts";
import type { Home } from "../../contract/world.ts";
import { advance } from "../../support/clock.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { MINUTE } from "../../support/times.ts";
import { type Bytes, sample, uploaded } from "../../support/uploads.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/**
 * A delivery that dies, stumbles or stalls between any two lines, calls of the bucket included, while it
 * makes a document of pictures and publishes it: one post and one document.
 */
let page: Home;
let picture: Bytes;
beforeAll(async () => {
  page = await projectWith("linkedin", "urn:li:organization:9001");
  picture = await sample("square.png");
  makeMortal();
  makeBucketMortal();
});
beforeEach(() => sandbox.noFaults());

const Events = z.object({
  events: z.array(z.object({ detail: z.looseObject({ file: z.looseObject({ copy_url: z.string() }).optional() }) })),
});

async function run(fates: Readonly<Record<number, Fate>>) {
  const caption_text = `Pages ${crypto.randomUUID()}`;
  // A file of its own, so that each trial makes a document.
  const { url } = await uploaded(page.project, picture);
  const media_urls = [url, media("landscape.jpg")];
  const id = await createPost(page.project, page.channel, { caption_text, media_urls, options: { document: true } });
  arm(fates);
  await untilStalled(queuesIdle(5_000));
  const acts = disarm();
  for (let looks = 0; looks < 40; looks++) {
    if (isStalled()) resume();
    await queuesIdle(MINUTE);
    if (["published", "failed"].includes((await findPost(page.project, id)).STATUS)) break;
    await advance(3 * MINUTE);
    await cron();
  }
  const events = Events.parse((await page.project.call("GET", `/social/get-post-events/${id}`)).body).events;
  const copies = new Set(events.flatMap(({ detail }) => detail.file?.copy_url ?? []));
  const { STATUS: state } = await findPost(page.project, id);
  return { acts, state, live: (await sandbox.postsWith(caption_text)).length, copies: copies.size };
}

const FATES = ["dies", "loses the answer", "fails", "stalls", "hears late"] as const satisfies readonly Fate[];

test("one post and one document, whatever happens at whichever act", { timeout: 300_000 }, async () => {
  const calm = await run({});
  expect(calm).toMatchObject({ state: "published", live: 1, copies: 1 });
  const step = IS_WHOLE ? 1 : 4;
  for (let at = 1; at <= calm.acts; at += step) {
    const fate = FATES[Math.floor(at / step) % FATES.length] ?? "dies";
    expect(await run({ [at]: fate }), `${fate} at ${at} of ${calm.acts}`).toMatchObject({
      state: "published",
      live: 1,
      copies: 1,
    });
  }
});
