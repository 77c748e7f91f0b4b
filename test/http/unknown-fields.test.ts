import fc from "fast-check";
import { beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { shapeOf } from "../../src/http/shape.ts";
import { editDistance, nearestName, unknownFields } from "../../src/http/unknown-fields.ts";
import { type Answer, type ChannelRef, call, createPost, type Project, projectWith } from "../support/world.ts";

/** Unknown fields are accepted, with a warning. */
const Warned = z.looseObject({ warnings: z.array(z.string()).optional(), errors: z.unknown().optional() });
const warningsOf = ({ body }: Answer) => Warned.parse(body).warnings;

let project: Project;
let channel: ChannelRef;
let post: Record<string, unknown>;
beforeAll(async () => {
  ({ project, channel } = await projectWith("twitter"));
  post = { ...channel, post_type: "post", publish_mode: "queued", caption_text: "x", media_urls: [] };
});

describe("unknown fields and parameters", () => {
  test("a field is named with the nearest known one, in success and in refusal", async ({ expect }) => {
    const accepted = await project.call("POST", "/social/create-post", { body: { ...post, hash_tag: "a", zebra: 1 } });
    expect(accepted.status).toBe(200);
    expect(warningsOf(accepted)).toEqual([
      "`hash_tag` is not a field of create-post; did you mean `hash_tags`?",
      "`zebra` is not a field of create-post.",
    ]);
    const { caption_text: captoin, ...rest } = post;
    const refused = await project.call("POST", "/social/create-post", { body: { ...rest, captoin } });
    expect(refused).toMatchObject({ status: 422, body: { errors: { caption_text: [expect.any(String)] } } });
    expect(warningsOf(refused)).toEqual(["`captoin` is not a field of create-post; did you mean `caption_text`?"]);
  });

  test("fields of items and of objects are named by their path, those of a list once", async ({ expect }) => {
    const body = {
      ...channel,
      post_type: "thread",
      publish_mode: "queued",
      twitter_threads: [
        { message: "a", media_url: [] },
        { message: "b", media_url: [] },
      ],
      post_extra: { title: "t", privacy: "public" },
    };
    const answer = await project.call("POST", "/social/create-post", { body });
    expect(warningsOf(answer)).toEqual([
      "`twitter_threads.0.media_url` is not a field of create-post; did you mean `twitter_threads.0.media_urls`?",
      "`post_extra.privacy` is not a field of create-post; did you mean `post_extra.privacyStatus`?",
      "`post_extra` is ignored when channel_type is twitter.",
    ]);
  });

  test("a parameter is named, also where the operation takes none", async ({ expect }) => {
    const listed = await project.call("GET", "/social/get-posts?channels=twitter&limt=3&utm_source=x");
    expect(listed.status).toBe(200);
    expect(warningsOf(listed)).toEqual([
      "`limt` is not a parameter of get-posts; did you mean `limit`?",
      "`utm_source` is not a parameter of get-posts.",
    ]);
    const id = await createPost(project, channel, { publish_mode: "queued", caption_text: "y" });
    const found = await project.call("GET", `/social/post/${id}?verbose=1`);
    expect(warningsOf(found)).toEqual(["`verbose` is not a parameter of find-post."]);
    expect(warningsOf(await project.call("GET", `/social/post/${id}`))).toBeUndefined();
  });

  test("without them there is no such key; a replay warns alike", async ({ expect }) => {
    // Captions of their own: what repeats one is warned of.
    const plain = { ...post, caption_text: "nothing to warn of" };
    expect(warningsOf(await project.call("POST", "/social/create-post", { body: plain }))).toBeUndefined();
    const body = { ...post, caption_text: "sent again" };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const send = (sent: unknown) => project.call("POST", "/social/create-post", { body: sent, headers });
    const first = await send({ ...body, colour: "red" });
    const again = await send({ ...body, colour: "red" });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect(warningsOf(again)).toEqual(["`colour` is not a field of create-post."]);
    // What is ignored makes no other request.
    expect((await send(body)).headers.get("Idempotency-Replayed")).toBe("true");
  });

  test("thousands of long ones cost an answer of a bounded length", async ({ expect }) => {
    const fields = Array.from({ length: 5_000 }, (_, index) => [`${"caption_text".repeat(14)}${index}`, 1]);
    const answer = await project.call("POST", "/social/create-post", {
      body: { ...post, caption_text: "many fields", ...Object.fromEntries(fields) },
    });
    expect(answer.status).toBe(200);
    const warnings = warningsOf(answer) ?? [];
    expect(warnings).toHaveLength(15);
    for (const warning of warnings) expect(warning.length).toBeLessThan(200);
    const query = Array.from({ length: 500 }, (_, index) => `limi${index}=1`).join("&");
    expect(warningsOf(await project.call("GET", `/social/upcoming-posts?${query}`))).toHaveLength(15);
  });
});

describe("inherited names are names like any other", () => {
  const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype"];
  const Document = z.object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.looseObject({ requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional() }),
      ),
    ),
  });

  test("in the query of every operation, and at any depth of every body", async ({ expect }) => {
    const { paths } = Document.parse((await call("GET", "/openapi.json")).body);
    const id = await createPost(project, channel, { publish_mode: "queued", caption_text: "waits" });
    const query = NAMES.map((name) => `${name}=1&${name}=2`).join("&");
    const inherited = NAMES.map((name) => `"${name}":{"${name}":[1]}`).join(",");
    const nested = `{"message":"m",${inherited}}`;
    const raw = `{"channel_type":"twitter","twitter_threads":[${nested}],"post_extra":${nested},"media_urls":${nested},${inherited}}`;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        // Another's, so that nothing is changed.
        const address = `${path.replace(/\{\w+\}/, method === "put" ? String(id) : "999999")}?${query}`;
        const takesJson = requestBody?.content["application/json"] !== undefined;
        const answer = await project.call(method.toUpperCase(), address, takesJson ? { raw } : {});
        expect([path, answer.status < 500]).toEqual([path, true]);
        const shown = JSON.stringify(answer.body);
        for (const name of NAMES)
          expect([path, name, shown.includes(`\`${name}\` is not a parameter of`)]).toEqual([path, name, true]);
        if (!takesJson) continue;
        for (const name of NAMES)
          expect([path, name, shown.includes(`"${name}`) || shown.includes(`\`${name}\``)]).toEqual([path, name, true]);
      }
    }
  });

  test.for(NAMES)("%s: update-post refuses it under its own key", async (name, { expect }) => {
    const id = await createPost(project, channel, { publish_mode: "queued", caption_text: "waits" });
    const answer = await project.call("PUT", `/social/update-post/${id}`, { raw: `{"${name}":1}` });
    expect(answer.status).toBe(422);
    const { errors } = Warned.parse(answer.body);
    expect(Object.entries(errors ?? {})).toEqual([
      [name, [expect.stringContaining(`${name} must not be sent: only `)]],
    ]);
    expect(warningsOf(answer)).toBeUndefined();
  });
});

describe("the nearest name", () => {
  const KNOWN = [
    "channel_type",
    "channel_id",
    "post_type",
    "caption_text",
    "media_urls",
    "schedule_time",
    "post_extra",
  ];
  test.for([
    ["captoin", "caption_text"],
    ["caption", "caption_text"],
    ["captionText", "caption_text"],
    ["Media-URLs", "media_urls"],
    ["mediaUrl", "media_urls"],
    ["chanel_id", "channel_id"],
    ["schedule_tiem", "schedule_time"],
    ["scheduled_time", "schedule_time"],
    ["zebra", null],
    ["x", null],
    ["", null],
    ["constructor", null],
    ["c".repeat(100_000), null],
  ] as const)("of %s is %s", ([name, nearest], { expect }) => {
    expect(nearestName(name, KNOWN)).toBe(nearest);
  });

  test("the distance is that of one keystroke at a time", ({ expect }) => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, fc.nat(8), fc.constantFrom("a", "d"), (a, b, at, letter) => {
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(editDistance(a, `${a.slice(0, at)}${letter}${a.slice(at)}`)).toBe(1);
        // A letter in between can also part two that were swapped: ac is one stroke from ca, abc is three.
        expect(
          Math.abs(editDistance(a, b) - editDistance(`${a.slice(0, at)}${a.slice(at + 1)}`, b)),
        ).toBeLessThanOrEqual(2);
        const [first = "", second = "", ...rest] = a;
        if (second !== "" && first !== second) expect(editDistance(a, second + first + rest.join(""))).toBe(1);
      }),
      { examples: [["abc", "ca", 1, "d"]] },
    );
  });
});

test("a union's fields are those of the branch that fits best; a record's names are the caller's own", ({ expect }) => {
  const shape = shapeOf(
    z.object({
      at: z.union([z.object({ day: z.string() }), z.object({ slot: z.string(), zone: z.string() })]),
      notes: z.record(z.string(), z.object({ text: z.string() })),
      open: z.looseObject({}),
    }),
  );
  const sent = { at: { slot: "1", zonee: "x" }, notes: { a: { text: "x" } }, open: { any: 1 } };
  expect(unknownFields(shape, sent, 20)).toEqual([{ field: "at.zonee", nearest: "at.zone" }]);
});
