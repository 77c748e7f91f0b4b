import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { knownPlatforms } from "../../scripts/support/kinds.ts";
import { describePlan, longest, type ProbeService, planProbe, probe } from "../../scripts/support/probe.ts";
import { calm, type Home, Homes, liveNow, media, NAMES, planFor, settings } from "../contract/world.ts";
import { queuesIdle } from "../support/queue.ts";

/**
 * What `npm run probe` does with the accounts of a project, here with those of the sandbox: nothing differs
 * from the rules, nothing stays, and a rule that changes at a platform is found.
 */
const homes = new Homes();
beforeAll(() => homes.connect());
afterEach(calm);

const Channels = z.object({
  channels: z.object({
    data: z.array(
      z.object({
        channel_id: z.int(),
        channel_type: z.string(),
        name: z.string(),
        capabilities: z.array(z.object({ name: z.string(), health: z.string() })),
      }),
    ),
  }),
});
const Rules = z.object({
  platforms: z.array(
    z.object({
      channel_type: z.string(),
      deletes_on_platform: z.boolean(),
      permalink: z.object({ shown: z.enum(["at_once", "later", "never"]) }),
      post_types: z.array(
        z.object({
          post_type: z.string(),
          text: z.object({ max: z.int() }),
          privacy: z.array(z.string()).nullable(),
          options: z.array(z.object({ name: z.string() })),
        }),
      ),
    }),
  ),
});
const Levels = z.object({ posting_options: z.object({ privacy_levels: z.array(z.string()) }) });
const Created = z.object({ data: z.object({ post_id: z.int() }) });
const Refused = z.object({ message: z.string() });
const Post = z.object({
  post: z.object({ STATUS: z.string(), permalink: z.string().nullish(), error: z.string().nullish() }),
});
const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string() })) });

/** The service through its front door, as a customer with a token has it. */
function serviceOf({ project }: Home): ProbeService {
  return {
    async channels() {
      const { body } = await project.call("GET", "/social/get-channels");
      return Channels.parse(body).channels.data.map(({ capabilities, ...channel }) => ({
        ...channel,
        canPublish: capabilities.some(({ name, health }) => name === "publish" && health === "connected"),
      }));
    },
    rules: async () => Rules.parse((await project.call("GET", "/social/get-platforms")).body).platforms,
    async privacyLevels(id) {
      const { status, body } = await project.call("GET", `/social/get-posting-options/${id}`);
      return status === 200 ? Levels.parse(body).posting_options.privacy_levels : null;
    },
    sample: async (name) => media(name),
    async create(body) {
      const answer = await project.call("POST", "/social/create-post", { body });
      return answer.status === 200 ? Created.parse(answer.body).data.post_id : Refused.parse(answer.body).message;
    },
    async ended(id) {
      await queuesIdle();
      const {
        STATUS,
        permalink = null,
        error = null,
      } = Post.parse((await project.call("GET", `/social/post/${id}`)).body).post;
      return { STATUS, permalink, error };
    },
    async delete(id) {
      await project.call("DELETE", `/social/delete-post/${id}`);
    },
    async removed(id) {
      await queuesIdle();
      const { events } = Events.parse((await project.call("GET", `/social/get-post-events/${id}`)).body);
      const left = events.find(({ type }) => type === "post.removal_failed");
      if (left) return left.message;
      return events.some(({ type }) => type === "post.removed") ? null : "it was not deleted in time.";
    },
  };
}

const kinds = knownPlatforms().flatMap((one) => one.kinds);

describe.for(NAMES)("%s", (name) => {
  test("a post of each kind is as the rules say, and only what no API deletes stays", async () => {
    const home = homes.on(name);
    const before = new Set((await liveNow(home)).map(({ id }) => id));
    const service = serviceOf(home);
    const planned = await planProbe(service, kinds, "A probe:");
    expect(planned.map(({ kind }) => kind.name)).toEqual(planFor(name).typical.map((shape) => shape.name));
    for (const one of planned) expect(await probe(service, one)).toMatchObject({ differs: [] });
    const left = (await liveNow(home)).filter(({ id }) => !before.has(id));
    const staying = planned.filter(({ isDeleted }) => !isDeleted);
    expect(left.length > 0).toBe(staying.length > 0);
  });
});

test("what the operator confirms names each account, each kind, and what stays public", async () => {
  const lines = await Promise.all(
    NAMES.map(async (name) => describePlan(await planProbe(serviceOf(homes.on(name)), kinds, "A probe:")).join("\n")),
  );
  const text = lines.join("\n");
  for (const name of NAMES) expect(text).toContain(`(${name})`);
  expect(text).toContain("private, then deleted");
  expect(text).toContain("public, deleted at once");
});

test("a limit that is lower at the platform than in the rules differs, and so does a text that our checks refuse", async () => {
  const service = serviceOf(homes.on("facebook"));
  const planned = await planProbe(service, kinds, "A probe:");
  const picture = planned.find(({ body }) => Array.isArray(body.files) && body.files.includes("square.jpg"));
  if (!picture) throw new Error("Facebook has no post with one picture.");
  await settings({ facebook_photo_max_bytes: 1_000 });
  const { differs } = await probe(service, picture);
  expect(differs).toEqual([expect.stringContaining("The platform refuses what the rules allow:")]);
  const long = { ...picture, body: { ...picture.body, caption_text: "x".repeat(100_000) } };
  expect((await probe(service, long)).differs).toEqual([expect.stringContaining("Our own checks refuse it:")]);
});

test("a text is as long as the rule, to the letter", () => {
  for (const max of [20, 280, 500, 2_200, 5_000]) {
    const text = longest("A probe: a text 1.", max);
    expect([text.length, text.trim()]).toEqual([max, text]);
  }
});
