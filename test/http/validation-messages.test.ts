import fc from "fast-check";
import { describe, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "../../src/api/operations.ts";
import { grouped, kindOf, shown } from "../../src/core/sentences.ts";
import { requestOf } from "../../src/http/operation-document.ts";
import { type Shape, shapeOf } from "../../src/http/shape.ts";
import { invalidRequest } from "../../src/http/validation.ts";
import type { PlatformName } from "../../src/platforms/names.ts";
import { PAGES, projectWith } from "../support/world.ts";

/** The rule of core/sentences.ts, held against what every operation's own schemas say of wrong requests. */
interface Input {
  readonly name: string;
  readonly schema: z.ZodType;
}

const inputs = OPERATIONS.flatMap((operation): Input[] => {
  const { body, query } = operation;
  return Object.entries({ body, query, header: requestOf(operation).headers }).flatMap(([part, schema]) =>
    schema instanceof z.ZodType ? [{ name: `${operation.id} ${part}`, schema }] : [],
  );
});

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "captoin", "x".repeat(300)];

const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    "",
    " ",
    "\u0000",
    "\ud800",
    "12",
    "abc",
    '"',
    "a,,b",
    {},
    [],
  ),
  fc.constantFrom("2030-02-30 10:00", "Mars/Phobos", "javascript:alert(1)", "x".repeat(3_000), "a\u0300".repeat(200)),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.constant(""), { minLength: 101, maxLength: 120 }),
);

/** Values that fit the shape here and there, so that what is wrong lies at any depth. */
function values(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case "object": {
      const fields = Object.fromEntries([...shape.fields].map(([name, field]) => [name, values(field)]));
      const own = fc.record(fields, { requiredKeys: [] });
      const others = fc.dictionary(fc.constantFrom(...NAMES), wrong, { maxKeys: 2 });
      const whole = fc
        .tuple(own, others)
        .map(([known, unknown]) => Object.fromEntries([...Object.entries(known), ...Object.entries(unknown)]));
      return fc.oneof({ weight: 9, arbitrary: whole }, { weight: 1, arbitrary: wrong });
    }
    case "array":
      return fc.oneof({ weight: 3, arbitrary: fc.array(values(shape.item), { maxLength: 3 }) }, wrong);
    case "record":
      return fc.oneof(fc.dictionary(fc.constantFrom(...NAMES), values(shape.value)), wrong);
    case "union":
      return fc.oneof(...shape.options.map(values), wrong);
    case "value":
      // Of an enumeration often one of its words, so that the other fields are checked.
      return fc.oneof(fc.constantFrom(...shape.takes.split(/, | or /)), fc.integer({ min: 1, max: 50 }), wrong);
  }
}

function valueIn(input: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Object.entries(value).find(([name]) => name.slice(0, 100) === key)?.[1];
  }, input);
}

/** What a sentence may say was found. */
function foundIn(value: unknown): readonly string[] {
  const parts = typeof value === "string" ? value.split(",").map((part) => shown(part.trim())) : [];
  const isCounted = typeof value === "string" || Array.isArray(value);
  return [kindOf(value), shown(value), ...(isCounted ? [grouped(value.length)] : []), ...parts];
}

describe.each(inputs)("$name", ({ schema }) => {
  const shape = shapeOf(schema);
  test("says field, what is wrong and what is allowed, in one style", ({ expect }) => {
    const seen = { refused: 0 };
    fc.assert(
      fc.property(values(shape), (input) => {
        const result = schema.safeParse(input);
        if (result.success) return;
        seen.refused++;
        const { message, details } = invalidRequest(result.error, input, shape);
        const errors = Object.entries(details.errors ?? {});
        expect(errors.length).toBeGreaterThan(0);
        expect(message.startsWith(errors[0]?.[1][0] ?? "?")).toBe(true);
        for (const [field, sentences] of errors) {
          for (const sentence of sentences)
            expectStyle(expect, field, sentence, field === "body" ? input : valueIn(input, field));
        }
      }),
      { numRuns: 300 },
    );
    expect(seen.refused).toBeGreaterThan(20);
  });
});

function expectStyle(
  expect: (value: unknown, message?: string) => { toBe(value: unknown): void },
  field: string,
  sentence: string,
  value: unknown,
): void {
  const reported = JSON.stringify({ field, sentence });
  expect(sentence.startsWith(`${field} `), reported).toBe(true);
  const rest = sentence.slice(field.length + 1);
  expect(rest.startsWith(field), reported).toBe(false);
  expect(/\bundefined\b|\[object|NaN/.test(rest), reported).toBe(false);
  if (value === undefined) {
    expect(/^is required( when \w+ is \w+)?: .+\.$/s.test(rest), reported).toBe(true);
  } else if (!/^must not (be|have|contain|repeat) .+\.$/s.test(rest) && !/^must not be sent: only .+\.$/s.test(rest)) {
    expect(/^must (?!not ).+, not .+\.$/s.test(rest), reported).toBe(true);
    const found = foundIn(value).some((one) => rest.endsWith(`, not ${one}.`) || rest.includes(`, not ${one},`));
    // A URL has its own sentence, which the rule words itself.
    expect(found || /not only a host\.$/.test(rest), `${reported} ${foundIn(value)}`).toBe(true);
  }
}

test("what is missing, of another kind, or of the kind and not allowed", ({ expect }) => {
  const schema = z.strictObject({
    id: z.int().positive(),
    kind: z.enum(["a", "b"]),
    list: z.array(z.string().min(1)).min(1).max(2),
    note: z.union([z.string(), z.null()]).optional(),
    names: z.record(z.string().max(3), z.string()).optional(),
  });
  const said = (input: unknown) => {
    const result = schema.safeParse(input);
    if (result.success) throw new Error("It fits.");
    return Object.values(invalidRequest(result.error, input, shapeOf(schema)).details.errors ?? {}).flat();
  };
  const fine = { id: 1, kind: "a", list: ["x"] };
  expect(said({})).toEqual([
    "id is required: a whole number.",
    "kind is required: a or b.",
    "list is required: an array.",
  ]);
  expect(said({ ...fine, id: "12" })).toEqual(["id must be a whole number, not a string."]);
  expect(said({ ...fine, id: 1.5 })).toEqual(["id must be a whole number, not 1.5."]);
  expect(said({ ...fine, id: Number.POSITIVE_INFINITY })).toEqual(["id must be a whole number, not Infinity."]);
  expect(said({ ...fine, list: 123 })).toEqual(["list must be an array, not a number."]);
  expect(said({ ...fine, id: -5 })).toEqual(["id must be greater than 0, not -5."]);
  expect(said({ ...fine, kind: "c" })).toEqual(['kind must be a or b, not "c".']);
  expect(said({ ...fine, kind: 123 })).toEqual(["kind must be a or b, not a number."]);
  expect(said({ ...fine, list: [] })).toEqual(["list must have at least 1 entry, not 0."]);
  expect(said({ ...fine, list: ["x", ""] })).toEqual(["list.1 must not be empty."]);
  expect(said({ ...fine, list: ["x", "y", "z"] })).toEqual(["list must have at most 2 entries, not 3."]);
  expect(said({ ...fine, note: 1 })).toEqual(["note must be a string or null, not a number."]);
  expect(said({ ...fine, names: { long_name: "x" } })).toEqual([
    "names.long_name (its name) must have at most 3 characters, not 9.",
  ]);
  expect(said({ ...fine, other: 1 })).toEqual([
    "other must not be sent: only id, kind, list, note and names can be changed.",
  ]);
  expect(said(123)).toEqual(["body must be an object, not a number."]);
});

describe("rules that need the channel", () => {
  const Refusal = z.object({ errors: z.record(z.string(), z.array(z.string())) });
  const plain = { publish_mode: "now", caption_text: "x", media_urls: [] };
  const cases: readonly (readonly [PlatformName, Record<string, unknown>, Record<string, string>])[] = [
    [
      "twitter",
      { ...plain, post_type: "post", caption_text: "日".repeat(141) },
      { caption_text: "caption_text must have at most 280 characters as X counts them, not 282." },
    ],
    [
      "twitter",
      { ...plain, post_type: "post", caption_text: "$A or $BB" },
      { caption_text: "caption_text must have at most one cashtag on X, not $A, $BB." },
    ],
    [
      "twitter",
      { ...plain, post_type: "post", hash_tags: "a-b, c" },
      { hash_tags: 'hash_tags must have tags of letters, digits and _ that are not digits alone, not "a-b".' },
    ],
    [
      "facebook",
      { ...plain, post_type: "reel" },
      { media_urls: "media_urls must have exactly 1 media file (videos) in a post of this type, not 0." },
    ],
    [
      "facebook",
      { ...plain, post_type: "post", media_urls: ["http://a.example/x.jpg"] },
      { "media_urls.0": "media_urls.0 must begin with https://." },
    ],
    [
      "facebook",
      { ...plain, post_type: "post", media_urls: ["https://10.0.0.1/x.jpg"] },
      { "media_urls.0": "media_urls.0 must be a public address, not one on 10.0.0.1." },
    ],
    [
      "facebook",
      { ...plain, post_type: "post", media_urls: ["nonsense"] },
      { "media_urls.0": "media_urls.0 must be an absolute URL that begins with https://." },
    ],
    [
      "twitter",
      { publish_mode: "now", post_type: "thread", twitter_threads: [{ message: "a" }, { message: "a" }] },
      {
        "twitter_threads.1.message":
          "twitter_threads.1.message must not repeat item 0: the platform refuses duplicates.",
      },
    ],
    [
      "twitter",
      { ...plain, post_type: "post", publish_mode: "scheduled", schedule_time: "2030-02-30 10:00", time_zone: "UTC" },
      { schedule_time: 'schedule_time must be a real date and time, not "2030-02-30 10:00".' },
    ],
  ];

  test("speak in the same style", async ({ expect }) => {
    const { project } = await projectWith("twitter");
    const [[x = 0], [page = 0]] = await Promise.all([
      project.connect("twitter"),
      project.connect("facebook", [PAGES.fern]),
    ]);
    for (const [channel_type, fields, reported] of cases) {
      const body = { channel_type, channel_id: channel_type === "twitter" ? x : page, ...fields };
      const answer = await project.call("POST", "/social/create-post", { body });
      const errors = Object.entries(reported).map(([field, sentence]) => [field, [sentence]]);
      expect([answer.status, Refusal.parse(answer.body).errors]).toEqual([422, Object.fromEntries(errors)]);
    }
  });
});
