import { env } from "cloudflare:workers";
import { afterAll, beforeAll, test, vi } from "vitest";
import { meet, minutePasses } from "../../contract/deliveries.ts";
import { arm, disarm, type Fate, makeBucketMortal, makeMortal } from "../../contract/mortal.ts";
import { painted, takePictureCalls } from "../../support/pictures.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { uploaded } from "../../support/uploads.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/**
 * A post with a fitted copy whose delivery dies at any of its acts, or fails or loses an answer at some:
 * calls of the database, the bucket and the platform. In the end it is live once, there is one copy, and the
 * bucket has nothing that no row names.
 */
const LIMIT = { timeout: 600_000 };
let home: { readonly project: Project; readonly channel: ChannelRef };
let acts = 0;

beforeAll(async () => {
  home = await projectWith("instagram");
  makeMortal();
  makeBucketMortal();
  vi.spyOn(console, "error").mockImplementation(() => {});
  arm();
  const id = await posted(crypto.randomUUID());
  arm();
  await queuesIdle();
  acts = disarm();
  if ((await findPost(home.project, id)).STATUS !== "published") throw new Error("The undisturbed post failed.");
});
afterAll(() => disarm());

/** A post with a file of its own. */
async function posted(mark: string): Promise<number> {
  const { url } = await uploaded(home.project, await painted(64, 64, { format: "png", sigma: 20 }));
  return createPost(home.project, home.channel, {
    post_type: "post",
    publish_mode: "now",
    caption_text: mark,
    media_urls: [url],
  });
}

const isLive = async (id: number) => (await findPost(home.project, id)).STATUS === "published";

/** The names of the rows, and of the objects. */
async function stored() {
  const { results } = await env.DB.prepare("SELECT name, media, fitted_from FROM files").all<{
    name: string;
    media: string | null;
    fitted_from: string | null;
  }>();
  const { objects } = await env.FILES.list();
  return { rows: results, objects: objects.map(({ key }) => key) };
}

async function expectOnce(fate: Fate, at: number): Promise<string | null> {
  const mark = crypto.randomUUID();
  const before = await stored();
  const id = await posted(mark);
  await meet(fate, at, () => isLive(id));
  for (let minute = 0; minute < 8 && !(await isLive(id)); minute++) await minutePasses();
  const found = await findPost(home.project, id);
  const live = await sandbox.postsWith(mark);
  const { rows, objects } = await stored();
  const copies = rows.filter(({ name, fitted_from }) => {
    return fitted_from !== null && !before.rows.some((row) => row.name === name);
  });
  const orphans = objects.filter((key) => !before.objects.includes(key) && !rows.some(({ name }) => name === key));
  const { calls } = takePictureCalls();
  const events = await home.project.call("GET", `/social/get-post-events/${id}`);
  const fitted = JSON.stringify(events.body).split('"post.fitted"').length - 1;
  const isWhole = copies.every(({ name, media }) => media !== null && objects.includes(name));
  // The engine is called again only if its answer was not stored.
  const flaws = {
    status: found.STATUS,
    live: live.length,
    copies: copies.length,
    orphans: orphans.length,
    isWhole,
    fitted,
  };
  const wanted = { status: "published", live: 1, copies: 1, orphans: 0, isWhole: true, fitted: 1 };
  const isRight = JSON.stringify(flaws) === JSON.stringify(wanted) && calls <= 2;
  return isRight ? null : `${fate} at ${at}: ${JSON.stringify({ ...flaws, calls, error: found.error })}`;
}

/** A delivery that stalls holds the isolate's only place for a picture, which its time limit ends. */
const FATES = [
  ["dies", 1],
  ["fails", 4],
  ["loses the answer", 3],
] as const;

test.for(FATES)(
  "a delivery that %s at an act leaves one copy and one post",
  LIMIT,
  async ([fate, every], { expect }) => {
    takePictureCalls();
    expect(acts).toBeGreaterThan(10);
    const flaws: string[] = [];
    for (let at = 1; at <= acts; at += every) {
      const flaw = await expectOnce(fate, at);
      if (flaw !== null) flaws.push(flaw);
    }
    expect(flaws).toEqual([]);
  },
);
