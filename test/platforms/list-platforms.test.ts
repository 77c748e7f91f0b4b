import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { MAX_FILES } from "../../src/posts/content/text-fields.ts";
import { factsOf, type Home, Homes, media, NAMES, type Name } from "../contract/world.ts";
import { issueToken, Project } from "../support/world.ts";

/** The table of rules: what it says is what create-post and validate-post do. */
const DATED = { as_of: z.iso.date(), source: z.string().min(10) };
const Text = z.strictObject({ max: z.int(), unit: z.string(), also: z.array(z.string()), ...DATED });
const Rules = z.object({
  text: Text,
  title: Text.nullable(),
  items: z.strictObject({ min: z.int(), max: z.int(), ...DATED }),
  media: z.strictObject({ min: z.int(), max: z.int(), ...DATED }),
  files: z.array(z.looseObject({ kind: z.string(), max_bytes: z.int(), max_alt_text: z.int().nullable(), ...DATED })),
  first_comment: Text.nullable(),
});
const Table = z.object({
  platforms: z.array(
    z.looseObject({
      channel_type: z.string(),
      is_configured: z.boolean(),
      capabilities: z.array(z.string()),
      post_types: z.array(
        Rules.extend({ post_type: z.string(), for_accounts: z.array(Rules.extend({ accounts: z.string() })) }),
      ),
      deletes_on_platform: z.boolean(),
    }),
  ),
  status: z.literal(true),
});

const homes = new Homes();
beforeAll(() => homes.connect());

async function table(project: Project) {
  return Table.parse((await project.call("GET", "/social/get-platforms")).body).platforms;
}

async function rulesOf(home: Home) {
  const own = (await table(home.project)).find((one) => one.channel_type === home.channel.channel_type);
  if (!own) throw new Error(`${home.channel.channel_type} is not in the table.`);
  return own;
}

const Refused = z.object({ errors: z.record(z.string(), z.array(z.string())).default({}) });

/** What validate-post says against a body, by field. */
async function refusal(home: Home, body: Record<string, unknown>) {
  const { required } = factsOf(home.channel.channel_type);
  const requested = { ...home.channel, publish_mode: "now", media_urls: [], caption_text: "x", ...required, ...body };
  const answer = await home.project.call("POST", "/social/validate-post", { body: requested });
  return Refused.parse(answer.body).errors;
}

const grouped = (value: number) => value.toLocaleString("en");

test("every platform is listed with its types, and with what its adapter can do", async () => {
  const project = await Project.create();
  const all = await table(project);
  expect(new Set(all.map((one) => one.channel_type))).toEqual(new Set(Object.keys(platforms)));
  for (const one of all) {
    const adapter = platforms[one.channel_type as Name];
    expect(one.is_configured).toBe(true);
    expect(one.capabilities).toEqual(Object.keys(adapter?.capabilities ?? {}));
    expect(one.post_types.map((type) => type.post_type)).toEqual(
      expect.arrayContaining(Object.keys(adapter?.rules({}) ?? {})),
    );
    expect(one.deletes_on_platform).toBe(adapter?.posts.remove !== undefined);
  }
});

describe.for(NAMES)("%s", (name) => {
  test("its texts, titles, comments, items and numbers of files are those that validate-post refuses beyond", async () => {
    const home = homes.on(name);
    const { post_types } = await rulesOf(home);
    expect(post_types.length).toBeGreaterThan(0);
    for (const { post_type, text, title, first_comment, media: files, items } of post_types) {
      const isThread = items.max > 1;
      const tooLong = "x".repeat(text.max + 1);
      const body = isThread ? { twitter_threads: [{ message: tooLong }] } : { caption_text: tooLong };
      const field = isThread ? "twitter_threads.0.message" : "caption_text";
      const longest = `must have at most ${grouped(text.max)} ${text.unit}, not ${grouped(text.max + 1)}.`;
      expect((await refusal(home, { post_type, ...body }))[field]).toContain(`${field} ${longest}`);

      if (title) {
        const titled = (length: number) => refusal(home, { post_type, post_extra: { title: "x".repeat(length) } });
        expect(Object.keys(await titled(title.max))).not.toContain("post_extra.title");
        expect(Object.keys(await titled(title.max + 1))).toContain("post_extra.title");
      }
      if (first_comment) {
        const long = "x".repeat(first_comment.max + 1);
        const thread = isThread ? { twitter_threads: [{ message: "x" }] } : {};
        const said = (await refusal(home, { post_type, ...thread, first_comment: long })).first_comment;
        expect(said).toEqual([
          `first_comment must have at most ${grouped(first_comment.max)} ${first_comment.unit}, not ${grouped(long.length)}.`,
        ]);
      }
      if (isThread) {
        const twitter_threads = Array.from({ length: items.max + 1 }, (_, index) => ({ message: `${index}` }));
        expect((await refusal(home, { post_type, twitter_threads })).twitter_threads?.[0]).toContain(
          `have ${items.min} to ${items.max} items`,
        );
      } else if (files.max < MAX_FILES) {
        const media_urls = Array.from({ length: files.max + 1 }, () => media("square.jpg"));
        expect((await refusal(home, { post_type, media_urls })).media_urls?.[0]).toContain(`${files.max} media file`);
      }
    }
  });

  test("its files are those of the adapter, with all their limits", async () => {
    const { post_types } = await rulesOf(homes.on(name));
    const own = platforms[name]?.rules({}) ?? {};
    for (const { post_type, files } of post_types) {
      const declared = own[post_type as keyof typeof own];
      expect(Object.fromEntries(files.map((file) => [file.kind, file.max_bytes]))).toEqual(
        Object.fromEntries(Object.entries(declared?.files ?? {}).map(([kind, file]) => [kind, file.maxBytes])),
      );
      for (const file of files) {
        const rules = Object.entries(declared?.files ?? {}).find(([kind]) => kind === file.kind)?.[1];
        const limits = Object.entries(file).filter(([key, value]) => /^(min|max)_/.test(key) && value !== null);
        const names = limits.map(([key]) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
        expect(names.sort()).toEqual(
          Object.entries(rules ?? {})
            .flatMap(([key, value]) => (/^(min|max)/.test(key) && value !== undefined ? [key] : []))
            .sort(),
        );
      }
    }
  });

  test("what it says of other kinds of accounts differs, and is what their attributes give", async () => {
    const { post_types } = await rulesOf(homes.on(name));
    const kinds = platforms[name]?.accountKinds ?? [];
    for (const { says, attributes } of kinds) {
      const shown = post_types.flatMap(({ post_type, for_accounts }) =>
        for_accounts.filter(({ accounts }) => accounts === says).map((own) => [post_type, own] as const),
      );
      expect(shown.length, says).toBeGreaterThan(0);
      for (const [type, own] of shown) {
        const rules = platforms[name]?.rules(attributes)[type as "post"];
        expect([own.text.max, own.files.map((file) => file.max_bytes)]).toEqual([
          rules?.text.max,
          own.files.map(({ kind }) => rules?.files[kind as "image"]?.maxBytes),
        ]);
      }
    }
    const others = post_types.flatMap(({ for_accounts }) => for_accounts.map(({ accounts }) => accounts));
    expect(new Set(others)).toEqual(new Set(kinds.map(({ says }) => says)));
  });
});

test("every rule says when and where it was read", async () => {
  const project = await Project.create();
  const { body } = await project.call("GET", "/social/get-platforms");
  const undated: string[] = [];
  /** What says what is allowed: every object but those that hold objects of rules. */
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) walk(item, `${path}.${at}`);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    const isHolder = /^\.platforms\.\d+(\.post_types\.\d+(\.for_accounts\.\d+)?|\.options_instead)?$/.test(path);
    if (!isHolder && path !== "" && !z.looseObject(DATED).safeParse(value).success) undated.push(path);
    for (const [key, item] of Object.entries(value)) walk(item, `${path}.${key}`);
  };
  walk(body, "");
  expect(undated).toEqual([]);
  const Dates = z.object({
    platforms: z.array(
      z.looseObject({
        scopes: z.array(z.looseObject({ capability: z.string(), scopes: z.array(z.string()), ...DATED })).min(1),
        post_types: z.array(z.looseObject({ privacy: z.unknown(), privacy_source: z.looseObject(DATED).nullable() })),
      }),
    ),
  });
  for (const { post_types } of Dates.parse(body).platforms)
    for (const { privacy, privacy_source } of post_types) expect(privacy === null).toBe(privacy_source === null);
});

test("any valid token may read it, it costs no D1 call, and it can be kept and requested again", async () => {
  const { token } = await issueToken(`Table ${crypto.randomUUID()}`, { permissions: ["social-view-post"] });
  const project = await Project.create();
  const request = (headers: Record<string, string>) => project.call("GET", "/social/get-platforms", { token, headers });
  await request({});
  const answer = await request({});
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Server-Timing")).toContain('d1;desc="calls=0 ');
  expect(answer.headers.get("Cache-Control")).toBe("private, max-age=300");
  const etag = answer.headers.get("ETag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const again = await request({ "If-None-Match": `"other", W/${etag}` });
  expect([again.status, again.body, again.headers.get("ETag")]).toEqual([304, "", etag]);
  expect(again.headers.get("X-Request-Id")).toBeTruthy();
  expect((await request({ "If-None-Match": '"other"' })).status).toBe(200);
  const unknown = await project.call("GET", "/social/get-platforms?platform=facebook", { token });
  expect(unknown.body).toHaveProperty("warnings");
  expect(unknown.headers.get("ETag")).not.toBe(etag);
});
