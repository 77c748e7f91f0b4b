import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { arm, disarm, type Fate, makeMortal } from "../../contract/mortal.ts";
import { advance } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { oneOf, seededRandom, whole } from "../../support/random.ts";
import { HOUR, MINUTE } from "../../support/times.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { type ChannelRef, type Project, projectWith } from "../../support/world.ts";

/** A server of feeds at https://feeds.test, behind the Worker's own `fetch`. */
const served = new Map<string, (request: Request) => Response>();
const reach = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { host, pathname } = new URL(request.url);
  if (host !== "feeds.example.com") return reach(input, init);
  return served.get(pathname)?.(request) ?? new Response(null, { status: 404 });
};

const item = (id: string, title = `Title ${id}`) =>
  `<item><guid>${id}</guid><title>${title}</title><link>https://blog.example.com/${id}</link></item>`;
const rss = (...items: readonly string[]) => `<rss><channel>${items.join("")}</channel></rss>`;

let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

const FeedAnswer = z.object({
  feed: z.object({
    feed_id: z.number(),
    state: z.string(),
    url: z.string(),
    posted: z.number(),
    refused: z.number(),
    problem: z.string().nullable(),
    stop_reason: z.string().nullable(),
  }),
});

/** A feed with a path of its own, which answers what `documents` has last. */
async function create(fields: object = {}) {
  const label = crypto.randomUUID();
  const path = `/${label}`;
  const shown = { document: rss(), calls: [] as Request[] };
  served.set(path, (request) => {
    shown.calls.push(request);
    const headers = { etag: `"${shown.document.length}"` };
    if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
    return new Response(shown.document, { headers });
  });
  const template = {
    ...channel,
    post_type: "post",
    media_urls: [],
    caption_text: "{title} {link}",
    external_id: label,
  };
  const url = `https://feeds.example.com${path}`;
  const body = { url, publish_mode: "draft", posts: [template], ...fields };
  const answer = await project.call("POST", "/social/create-feed", { body });
  const id = FeedAnswer.safeParse(answer.body).data?.feed.feed_id ?? 0;
  return { answer, id, path, label, shown };
}

const read = async (id: number) => FeedAnswer.parse((await project.call("GET", `/social/get-feed/${id}`)).body).feed;
const Events = z.object({ events: z.array(z.object({ type: z.string() })) });
async function eventsOf(id: number) {
  const { body } = await project.call("GET", `/social/get-feed-events/${id}`);
  return Events.parse(body).events.map(({ type }) => type);
}

async function postsOf(label: string) {
  const rows = await env.DB.prepare("SELECT caption, state FROM posts WHERE external_id = ? ORDER BY id")
    .bind(label)
    .all<{ caption: string; state: string }>();
  return rows.results;
}

test.for([
  ["posts.0.caption_text", { caption_text: "{title}".repeat(21) }, "at most 20 placeholders"],
  ["posts.0.first_comment", { first_comment: "{link} ".repeat(21) }, "at most 20 placeholders"],
  [
    "posts.0",
    { media_urls: Array.from({ length: 9 }, () => `{image}?${"{link}".repeat(12)}`) },
    "at most 100 placeholders",
  ],
] as const)("a template with too many placeholders in %s is refused", async ([field, fields, words], { expect }) => {
  const template = { ...channel, post_type: "post", media_urls: [], caption_text: "{title}", ...fields };
  const { answer } = await create({ posts: [template] });
  expect([answer.status, answer.body]).toEqual([
    422,
    expect.objectContaining({ errors: { [field]: [expect.stringContaining(words)] } }),
  ]);
});

test("a template that an entry cannot fill is refused by the field of create-post", async ({ expect }) => {
  const { answer } = await create({
    posts: [{ ...channel, post_type: "post", media_urls: ["{title}"], caption_text: "x" }],
  });
  expect([
    answer.status,
    Object.keys(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(answer.body).errors),
  ]).toEqual([422, ["media_urls.0"]]);
});

const captions = async (label: string) => (await postsOf(label)).map(({ caption }) => caption.replace(/ http.*/, ""));

/** The next reading, and what it has made due. */
async function reading(afterMs = 13 * HOUR): Promise<void> {
  await advance(afterMs);
  await cron();
  await queuesIdle(0);
}

test("entries become posts once, the oldest first; old ones only if wanted, edited ones never again", async ({
  expect,
}) => {
  const { id, label, shown } = await create({ include_existing: 1 });
  shown.document = rss(item("2"), item("1"));
  await reading(MINUTE);
  expect(await captions(label)).toEqual(["Title 2"]);
  await reading();
  expect(shown.calls.at(-1)?.headers.get("if-none-match")).not.toBeNull();
  shown.document = rss(item("4"), item("3"), item("2", "Edited"), item("1"));
  await reading();
  expect(await captions(label)).toEqual(["Title 2", "Title 3", "Title 4"]);
  expect(await read(id)).toMatchObject({ state: "active", posted: 3, refused: 0, problem: null });
});

describe("a feed", () => {
  test("is refused with a sentence: a private address, a template that create-post refuses", async ({ expect }) => {
    expect((await create({ url: "https://10.0.0.1/feed" })).answer).toMatchObject({
      status: 422,
      body: { errors: { url: [expect.stringMatching(/^url must be a public address/)] } },
    });
    const posts = [{ ...channel, post_type: "post", media_urls: [], caption_text: " " }];
    expect((await create({ posts })).answer).toMatchObject({
      status: 422,
      body: { errors: { caption_text: [expect.any(String)] } },
    });
  });

  test("keeps its uploaded files in the media library", async ({ expect }) => {
    const { url } = await uploaded(project, await sample("square.png"));
    const [, name] = /\/media\/(\w+)/.exec(url) ?? [];
    const posts = [{ ...channel, post_type: "post", media_urls: [url, "{image}"], caption_text: "{title}" }];
    expect((await create({ posts, name: "Blog" })).answer.status).toBe(200);
    const kept = await project.call("GET", `/social/get-media/${name}`);
    expect(kept.body).toMatchObject({ media: { in_library: true, expires_at: null, title: "Blog" } });
  });

  test("stops when it is gone, and when it cannot be read ten times in a row", async ({ expect }) => {
    const [gone, broken] = [await create(), await create()];
    served.set(gone.path, () => new Response(null, { status: 410 }));
    served.set(broken.path, () => new Response("<html></html>"));
    await reading(MINUTE);
    expect(await read(gone.id)).toMatchObject({ state: "stopped", stop_reason: expect.stringContaining("gone") });
    expect(await read(broken.id)).toMatchObject({ state: "active", problem: "It is no RSS or Atom feed." });
    for (let more = 0; more < 9; more++) await reading();
    expect(await read(broken.id)).toMatchObject({ state: "stopped" });
    expect(await eventsOf(gone.id)).toEqual(["feed.stopped"]);
    expect(await eventsOf(broken.id)).toEqual(["feed.stopped"]);
    served.set(broken.path, () => new Response(rss(item("1"))));
    const resumed = await project.call("PUT", `/social/update-feed/${broken.id}`, { body: { state: "active" } });
    expect(resumed).toMatchObject({ status: 200, body: { feed: { state: "active", stop_reason: null } } });
    await reading(MINUTE);
    expect(await read(broken.id)).toMatchObject({ state: "active", problem: null });
  });

  test("is read at another address like a new one, and no entry has posts twice", async ({ expect }) => {
    const { id, label, shown } = await create({ include_existing: 1 });
    shown.document = rss(item("1"));
    await reading(MINUTE);
    const move = async (document: string, fields: object = {}) => {
      const url = `https://feeds.example.com/${crypto.randomUUID()}`;
      const headers: (string | null)[] = [];
      served.set(new URL(url).pathname, (request) => {
        headers.push(request.headers.get("if-none-match"));
        return new Response(document);
      });
      const body = { url, ...fields };
      const answer = await project.call("PUT", `/social/update-feed/${id}`, { body });
      expect(answer).toMatchObject({ status: 200, body: { feed: { url } } });
      await reading(MINUTE);
      expect(headers).toEqual([null]);
      return url;
    };
    await move(rss(item("3"), item("2"), item("1")));
    expect(await captions(label)).toEqual(["Title 1"]);
    const url = await move(rss(item("5"), item("4"), item("3"), item("2"), item("1")), { include_existing: 1 });
    expect(await captions(label)).toEqual(["Title 1", "Title 5"]);
    served.set(new URL(url).pathname, () => new Response(rss(item("6"), item("5"), item("1"))));
    await reading();
    expect(await captions(label)).toEqual(["Title 1", "Title 5", "Title 6"]);
    const inward = await project.call("PUT", `/social/update-feed/${id}`, { body: { url: "https://10.0.0.1/" } });
    expect(inward).toMatchObject({ status: 422, body: { errors: { url: [expect.any(String)] } } });
    expect(await read(id)).toMatchObject({ url, state: "active", problem: null });
  });

  test("follows a permanent move, checks redirects, and refuses 6 MB", async ({ expect }) => {
    const [moved, inward, large] = [await create(), await create(), await create()];
    const target = "https://feeds.example.com/moved";
    served.set("/moved", () => new Response(rss(item("1"))));
    served.set(moved.path, () => new Response(null, { status: 301, headers: { location: target } }));
    served.set(
      inward.path,
      () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
    );
    served.set(large.path, () => new Response("x".repeat(6 * 1024 * 1024)));
    await reading(MINUTE);
    expect(await read(moved.id)).toMatchObject({ url: target, problem: null });
    expect(await eventsOf(moved.id)).toEqual(["feed.moved"]);
    expect((await read(inward.id)).problem).toMatch(/^The address must/);
    expect((await read(large.id)).problem).toBe("It is larger than 5 MB.");
  });

  test("shortens a caption to its channel's limit, and keeps the link", async ({ expect }) => {
    const other = await projectWith("twitter");
    const label = crypto.randomUUID();
    const caption = "{title}\n\n{summary}\n\n{link}";
    const post = { ...other.channel, post_type: "tweet", media_urls: [], caption_text: caption, external_id: label };
    const url = `https://feeds.example.com/${label}`;
    const summary = `<description>${"word ".repeat(500)}</description>`;
    served.set(`/${label}`, () => new Response(rss(item("1").replace("</item>", `${summary}</item>`))));
    const body = { url, publish_mode: "draft", posts: [post], include_existing: 1 };
    expect((await other.project.call("POST", "/social/create-feed", { body })).status).toBe(200);
    await reading(MINUTE);
    const [stored] = await postsOf(label);
    // X counts an address as 23 characters, and `…` as one.
    expect(stored?.caption).toMatch(/^Title 1\n\n(?:word ){40,}word…\n\nhttps:\/\/blog\.example\.com\/1$/);
  });

  test("stops after ten refused entries in a row, and is deleted with its timeline", async ({ expect }) => {
    const { id, label, shown } = await create({ include_existing: 20 });
    const posts = [
      { ...channel, post_type: "post", media_urls: [], caption_text: "{author}{title}", external_id: label },
    ];
    const changed = await project.call("PUT", `/social/update-feed/${id}`, { body: { posts, name: "Blog" } });
    expect(changed).toMatchObject({ status: 200, body: { feed: { name: "Blog", posts } } });
    shown.document = rss(...Array.from({ length: 12 }, (_, at) => item(`empty-${at}`, "")), item("1"));
    await reading(MINUTE);
    expect(await captions(label)).toEqual(["Title 1"]);
    expect(await read(id)).toMatchObject({ state: "stopped", posted: 1, refused: 10 });
    expect(await eventsOf(id)).toEqual([...Array<string>(10).fill("feed.entry_refused"), "feed.stopped"]);
    expect((await project.call("DELETE", `/social/delete-feed/${id}`)).status).toBe(200);
    expect((await project.call("GET", `/social/get-feed-events/${id}`)).status).toBe(404);
  });
});

test("has one post for each entry, although runs die and messages are lost", { timeout: 60_000 }, async ({
  expect,
}) => {
  makeMortal();
  for (let seed = 1; seed <= 4; seed++) {
    const random = seededRandom(seed);
    const { id, label, shown } = await create();
    await reading(MINUTE);
    const ids: string[] = [];
    for (let round = 1; round <= 3; round++) {
      ids.unshift(`${round}b`, `${round}a`);
      shown.document = rss(...ids.map((one) => item(one)));
      arm({ [whole(random, 1, 14)]: oneOf<Fate>(random, ["dies", "fails", "loses the answer"]) });
      await reading(3 * HOUR).catch(() => undefined);
      if (whole(random, 0, 2) === 0) queue.loseAll();
      await queuesIdle(0).catch(() => undefined);
      disarm();
      for (let tries = 0; tries < 5 && (await read(id)).posted < 2 * round; tries++) await reading(3 * HOUR);
      const expected = ids.toReversed().map((one) => `Title ${one}`);
      expect((await captions(label)).toSorted(), `${seed} ${round}`).toEqual(expected.toSorted());
      expect((await read(id)).posted).toBe(2 * round);
    }
    await project.call("DELETE", `/social/delete-feed/${id}`);
  }
});
