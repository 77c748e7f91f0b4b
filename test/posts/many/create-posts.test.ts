import { env } from "cloudflare:workers";
import { beforeAll, describe, test, vi } from "vitest";
import { z } from "zod";
import { arm, disarm, type Fate, makeMortal } from "../../contract/mortal.ts";
import { media } from "../../contract/world.ts";
import { costOf } from "../../support/costs.ts";
import { bindings, queue, queuesIdle } from "../../support/queue.ts";
import { happens, oneOf, seededRandom, whole } from "../../support/random.ts";
import { sandbox } from "../../support/sandbox.ts";
import { type Answer, API, type ChannelRef, createPost, door, type Project, projectWith } from "../../support/world.ts";

let project: Project;
let channel: ChannelRef<"facebook">;
let other: ChannelRef<"twitter">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
  const [id = 0] = await project.connect("twitter");
  other = { channel_type: "twitter", channel_id: id };
});

const Result = z.looseObject({
  index: z.number(),
  status: z.boolean(),
  message: z.string(),
  data: z.object({ post_id: z.number() }).optional(),
  code: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});
const Answered = z.object({ created: z.number(), refused: z.number(), results: z.array(Result) });

const draft = (fields: object = {}) => ({ caption_text: crypto.randomUUID(), ...fields });
const COMMON = { post_type: "post", publish_mode: "draft", media_urls: [] };

const send = (body: object, headers: Record<string, string> = {}) =>
  project.call("POST", "/social/create-posts", { body: { defaults: { ...channel, ...COMMON }, ...body }, headers });

const idsIn = (answer: Answer) =>
  Answered.parse(answer.body).results.flatMap(({ data }) => (data === undefined ? [] : [data.post_id]));

/** Ids of the posts with this label, in order. */
async function labelled(label: string): Promise<readonly number[]> {
  const rows = await env.DB.prepare("SELECT id FROM posts WHERE external_id = ? ORDER BY id").bind(label).all();
  return rows.results.map(({ id }) => Number(id));
}

describe("one text to several channels", () => {
  test("is one request with variants; each is published as create-post would", async ({ expect }) => {
    const mark = crypto.randomUUID();
    const answer = await project.call("POST", "/social/create-posts", {
      body: {
        defaults: { post_type: "post", publish_mode: "now", media_urls: [], caption_text: `Both ${mark}` },
        posts: [channel, { ...other, caption_text: `Short ${mark}`, captoin: "x" }],
      },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        message: "2 posts were created.",
        results: [
          { index: 0, status: true, message: "The post is being published.", data: { STATUS: "processing" } },
          { index: 1, warnings: ["`captoin` is not a field of create-post; did you mean `caption_text`?"] },
        ],
      },
    });
    await queuesIdle();
    const live = await sandbox.postsWith(mark);
    expect(live.map(({ platform, text }) => [platform, text]).toSorted()).toEqual([
      ["facebook", `Both ${mark}`],
      ["twitter", `Short ${mark}`],
    ]);
  });

  test("a hundred cost the D1 calls of one, and no more statements each", async ({ expect }) => {
    const body = { ...channel, ...COMMON, publish_mode: "queued", ...draft() };
    const one = costOf(await project.call("POST", "/social/create-post", { body }));
    const posts = Array.from({ length: 100 }, () => draft({ publish_mode: "queued" }));
    const answer = await send({ posts });
    const many = costOf(answer);
    expect(idsIn(answer)).toHaveLength(100);
    expect(many.calls).toBe(one.calls);
    expect(many.statements).toBeLessThanOrEqual(100 * one.statements);
    expect(many.rowsWritten).toBeLessThanOrEqual(100 * one.rowsWritten);
    queue.loseAll();
  });
});

describe("a mistake in one post", () => {
  test("all_or_nothing: the refusal names posts and fields, and none is created", async ({ expect }) => {
    const label = crypto.randomUUID();
    const posts = [draft(), draft({ caption_text: " " }), draft({ channel_id: 999_999 })];
    const answer = await send({ posts: posts.map((post) => ({ ...post, external_id: label })) });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "invalid_request",
        errors: {
          "posts.1.caption_text": ["posts.1: caption_text must not be blank."],
          "posts.2.channel_id": [expect.stringMatching(/^posts\.2: channel_id must be a connected channel/)],
        },
      },
    });
    expect(await labelled(label)).toEqual([]);
  });

  test("each: the others are created, in their order, with the words of create-post", async ({ expect }) => {
    const label = crypto.randomUUID();
    const posts = [draft(), draft({ channel_id: 999_999 }), draft(), draft({ media_urls: "no" })];
    const answer = await send({ mode: "each", posts: posts.map((post) => ({ ...post, external_id: label })) });
    const { results } = Answered.parse(answer.body);
    expect(results.map(({ status }) => status)).toEqual([true, false, true, false]);
    expect(await labelled(label)).toEqual(idsIn(answer));
    const alone = await project.call("POST", "/social/create-post", {
      body: { ...channel, ...COMMON, ...draft({ channel_id: 999_999 }) },
    });
    const { status: _, ...refusal } = z.looseObject({}).parse(alone.body);
    expect(results[1]).toEqual({ index: 1, status: false, ...refusal });
    expect(results[3]).toMatchObject({ errors: { media_urls: ["media_urls must be an array, not a string."] } });
  });

  test("each: posts beyond the quota are refused, and the time until there is room is read once", async ({
    expect,
  }) => {
    const { project: full, channel: its } = await projectWith("bluesky");
    const request = (posts: readonly object[]) =>
      new Request(`${API}/social/create-posts`, {
        method: "POST",
        headers: { Authorization: `Bearer ${full.token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ mode: "each", defaults: { ...its, ...COMMON }, posts }),
      });
    const posts = Array.from({ length: 9 }, () => draft());
    const quotas: Record<string, string> = { MAX_WAITING_POSTS: "3" };
    const response = await door(request(posts), { ...bindings, ...quotas });
    expect(response.headers.get("Server-Timing")).toContain("calls=3 ");
    const { results } = Answered.parse(await response.json());
    expect(results.map(({ code = "created" }) => code)).toEqual([
      ...Array.from({ length: 3 }, () => "created"),
      ...Array.from({ length: 6 }, () => "quota_exceeded"),
    ]);
  });
});

describe("validate-posts", () => {
  test("has a result for each, reads a shared file once, and takes one D1 call", async ({ expect }) => {
    const file = media("square.jpg");
    const reads = vi.spyOn(globalThis, "fetch");
    const body = { defaults: { ...COMMON, media_urls: [file] }, posts: [draft(channel), draft(other), channel] };
    const answer = await project.call("POST", "/social/validate-posts", { body });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        valid: false,
        results: [
          { status: true, items: [{ media: [{ url: file }] }], cost: { amount: 0 } },
          { status: true, cost: { amount: expect.any(Number) } },
          { status: false, code: "invalid_request", errors: { caption_text: [expect.any(String)] } },
        ],
      },
    });
    expect(costOf(answer).calls).toBe(1);
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockRestore();
  });
});

describe("one key", () => {
  const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

  test("is one set of posts: a repeat, and two at once, return the same results", async ({ expect }) => {
    const label = crypto.randomUUID();
    const fields = { external_id: label };
    const body = { mode: "each", posts: [draft(fields), draft({ channel_id: 999_999 }), draft(fields)] };
    const headers = key();
    const [first, second] = await Promise.all([send(body, headers), send(body, headers)]);
    const third = await send(body, headers);
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    expect(third.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await labelled(label)).toEqual(idsIn(first));
    const changed = await send({ ...body, mode: "all_or_nothing" }, headers);
    expect(changed).toMatchObject({ status: 422, body: { code: "idempotency_conflict" } });
  });

  test("whatever dies or is lost, all posts of the request exist or none, once", { timeout: 60_000 }, async ({
    expect,
  }) => {
    makeMortal();
    for (let seed = 1; seed <= 40; seed++) {
      const random = seededRandom(seed);
      const label = `label-${seed}-${crypto.randomUUID()}`;
      const isEach = happens(random, 0.5);
      const posts = Array.from({ length: whole(random, 1, 6) }, () => {
        const mode = oneOf(random, ["draft", "queued", "share_next", "now"]);
        const wrong = isEach && happens(random, 0.3) ? { channel_id: 999_999 } : {};
        return draft({ ...wrong, external_id: label, publish_mode: mode });
      });
      const good = posts.filter((post) => !("channel_id" in post)).length;
      const body = { mode: isEach ? "each" : "all_or_nothing", posts };
      const headers = key();
      const counts: number[] = [];
      for (let attempt = 0; attempt < 3; attempt++) {
        arm({ [whole(random, 1, 4)]: oneOf<Fate>(random, ["dies", "fails", "loses the answer"]) });
        await send(body, headers);
        disarm();
        counts.push((await labelled(label)).length);
      }
      const last = await send(body, headers);
      expect([seed, counts.filter((count) => count !== 0 && count !== good)]).toEqual([seed, []]);
      expect([seed, await labelled(label)]).toEqual([seed, idsIn(last)]);
      expect([seed, idsIn(last).length]).toEqual([seed, good]);
    }
    queue.loseAll();
  });
});

test("the queue of a request is the queue of as many requests", async ({ expect }) => {
  const modes = ["queued", "share_next", "queued", "share_next", "share_next", "queued"];
  const home = await projectWith("facebook");
  const [second = 0] = await home.project.connect("twitter");
  const apart = home.channel;
  const together: ChannelRef = { channel_type: "twitter", channel_id: second };
  const posts = modes.map((publish_mode, index) => ({ publish_mode, caption_text: `post ${index}` }));
  for (const of of [apart, together])
    await createPost(home.project, of, { publish_mode: "queued", caption_text: "first" });
  for (const post of posts) await createPost(home.project, apart, post);
  const answer = await home.project.call("POST", "/social/create-posts", {
    body: { defaults: { ...together, post_type: "post", media_urls: [] }, posts },
  });
  const queueOf = async ({ channel_id }: ChannelRef) => {
    const rows = await env.DB.prepare("SELECT caption, slot_at FROM posts WHERE channel_id = ? ORDER BY slot_at")
      .bind(channel_id)
      .all();
    return rows.results;
  };
  const queued = await queueOf(together);
  expect(queued).toEqual(await queueOf(apart));
  expect(queued).toHaveLength(posts.length + 1);
  // Its message names the slot that the post has in the end.
  const { results } = Answered.parse(answer.body);
  const [last] = queued.slice(-1);
  expect(results.find(({ index }) => `post ${index}` === last?.caption)?.message).toContain(
    new Date(Number(last?.slot_at)).toISOString().slice(0, 16).replace("T", " "),
  );
});
