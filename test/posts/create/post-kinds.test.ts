import { type OutputUnit, Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { PLATFORM_FACTS } from "../../../src/platforms/facts.ts";
import { PLATFORM_NAMES, POST_TYPES } from "../../../src/platforms/names.ts";
import { ignoredFields } from "../../../src/posts/create/post-kinds.ts";
import { CreatePostBody } from "../../../src/posts/schema.ts";
import { PUBLISH_MODES } from "../../../src/posts/table.ts";
import { runsOf } from "../../contract/sample.ts";
import { withoutExamples } from "../../support/schemas.ts";
import { call, projectWith } from "../../support/world.ts";

/** What the document says of create-post's body, and what create-post says of it, held against each other. */
const Document = z.object({ components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }) });

let documented: (body: unknown) => { valid: boolean; errors: OutputUnit[] };
beforeAll(async () => {
  const { components } = Document.parse((await call("GET", "/openapi.json")).body);
  const schemas = JSON.stringify(withoutExamples(components.schemas)).replaceAll("#/components/schemas/", "#/$defs/");
  const $defs = z.record(z.string(), z.looseObject({})).parse(JSON.parse(schemas));
  const validator = new Validator({ $defs, $ref: "#/$defs/CreatePost" }, "2020-12", false);
  documented = (body) => validator.validate(body);
});

const text = fc.constantFrom("x", "ü", " x ", "Two\nlines");
const blank = fc.constantFrom("", " ", "\t\n");
const url = fc.constantFrom("https://cdn.example.com/a.jpg", "a");
const wrong = fc.constantFrom<unknown>(null, true, 1, -1, 1.5, "", "1", [], [1], {}, [null]);

/** Mostly what fits, so that each problem is checked by itself. */
const mostly = <T>(fitting: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: fitting }, { weight: 1, arbitrary: wrong });
const maybe = <T>(fitting: fc.Arbitrary<T>) => fc.option(fitting, { nil: undefined, freq: 4 });

const extra = fc.record(
  {
    title: maybe(mostly(fc.constantFrom("t", "x".repeat(100), "x".repeat(101)))),
    category: maybe(mostly(fc.constantFrom(1, 22, 44, 3, 45))),
    privacyStatus: maybe(mostly(fc.constantFrom("public", "unlisted", "secret"))),
  },
  { requiredKeys: [] },
);
const item = fc.record(
  { message: mostly(fc.oneof({ weight: 9, arbitrary: text }, blank)), media_urls: maybe(mostly(fc.array(url))) },
  { requiredKeys: [] },
);
const fitting = {
  channel_id: mostly(fc.constantFrom(1, 12)),
  publish_mode: mostly(fc.constantFrom(...PUBLISH_MODES)),
  schedule_time: maybe(fc.constantFrom("2030-01-01 10:00", "2030-01-01T10:00", "soon")),
  time_zone: maybe(fc.constantFrom("Europe/Berlin", "UTC")),
  hash_tags: maybe(mostly(text)),
};
const kind = fc.constantFrom(...PLATFORM_NAMES).chain((channel_type) =>
  fc.record({
    channel_type: fc.constant(channel_type),
    post_type: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...PLATFORM_FACTS[channel_type].postTypes) },
      { weight: 1, arbitrary: fc.constantFrom(...POST_TYPES) },
    ),
  }),
);

/**
 * Fields that a kind has no use for are checked all the same, but not documented: those are sent in their
 * right form only.
 */
const bodies = kind.chain((of) => {
  const isThread = of.post_type === "thread";
  const isTimed = fc
    .record(fitting)
    .map((fields) => (fields.publish_mode === "scheduled" ? fields : { ...fields, schedule_time: undefined }));
  const plain = fc.record({
    caption_text: maybe(mostly(fc.oneof({ weight: 9, arbitrary: text }, blank))),
    media_urls: maybe(mostly(fc.array(url, { maxLength: 36 }))),
    alt_texts: maybe(mostly(fc.array(text, { maxLength: 21 }))),
    twitter_threads: maybe(fc.constant([{ message: "m" }])),
    post_extra: maybe(of.channel_type === "youtube" ? mostly(extra) : fc.constant({ title: "t" })),
  });
  const thread = fc.record({
    twitter_threads: maybe(mostly(fc.array(item, { maxLength: 3 }))),
    alt_texts: maybe(fc.constantFrom<unknown>([], ["x"], "x")),
    caption_text: maybe(fc.constantFrom("x", " ")),
    media_urls: maybe(fc.constant([])),
    post_extra: maybe(fc.constant({ title: "t" })),
  });
  return fc
    .tuple(isTimed, isThread ? thread : plain)
    .map(([fields, content]): unknown => JSON.parse(JSON.stringify({ ...of, ...fields, ...content })));
});

const RUNS = runsOf(1_000);

describe("create-post's body", () => {
  test("is accepted by the document exactly when it is accepted by create-post", ({ expect }) => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const { success, error } = CreatePostBody.safeParse(body);
        seen[success ? "accepted" : "refused"]++;
        const { valid, errors } = documented(body);
        expect([valid, success ? [] : error?.issues]).toEqual([success, success ? errors : error?.issues]);
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(RUNS / 6);
  });

  test("every pair of channel type and post type is refused by both or by none", ({ expect }) => {
    for (const channel_type of PLATFORM_NAMES) {
      for (const post_type of POST_TYPES) {
        const body = {
          channel_type,
          post_type,
          channel_id: 1,
          publish_mode: "now",
          caption_text: "x",
          media_urls: [],
          twitter_threads: [{ message: "x" }],
          post_extra: { title: "x" },
        };
        const isPair = PLATFORM_FACTS[channel_type].postTypes.includes(post_type);
        expect([channel_type, post_type, CreatePostBody.safeParse(body).success, documented(body).valid]).toEqual([
          channel_type,
          post_type,
          isPair,
          isPair,
        ]);
      }
    }
  });
});

test("fields that a kind of post has no use for are warned of, and empty ones are not", async ({ expect }) => {
  const post = { channel_type: "twitter", post_type: "thread", publish_mode: "now" } as const;
  const fields = { caption_text: "x", media_urls: ["x"], post_extra: {}, schedule_time: "2030-01-01 10:00" };
  expect(ignoredFields({ ...post, ...fields })).toEqual([
    "`caption_text` is ignored when post_type is thread.",
    "`media_urls` is ignored when post_type is thread.",
    "`post_extra` is ignored when channel_type is twitter.",
    "`schedule_time` is ignored when publish_mode is now.",
  ]);
  expect(ignoredFields({ ...post, caption_text: "", media_urls: [], alt_texts: [] })).toEqual([]);
  const { project, channel } = await projectWith("twitter");
  const body = { ...channel, post_type: "tweet", publish_mode: "queued", caption_text: "x", media_urls: [] };
  const answer = await project.call("POST", "/social/create-post", {
    body: { ...body, schedule_time: "2030-01-01 10:00" },
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { warnings: ["`schedule_time` is ignored when publish_mode is queued."] },
  });
});
