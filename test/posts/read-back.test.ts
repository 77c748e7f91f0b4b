import { beforeAll, test } from "vitest";
import { z } from "zod";
import { makeBot } from "../support/automations.ts";
import { boost, boostHome } from "../support/boosts.ts";
import { startClean } from "../support/clean-start.ts";
import { type ChannelRef, call, createPost, HANDLES, type Project, projectWith } from "../support/world.ts";

/** What a read returns can be sent back: each field that a request has too, with the value of the read. */
const Schema = z.looseObject({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        requestBody: z.object({ content: z.record(z.string(), z.object({ schema: Schema })) }).optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});
const document = Document.parse((await call("GET", "/openapi.json")).body);

/** The fields of the body of the operation at this path. */
function fieldsAt(method: "post" | "put", path: string): readonly string[] {
  const schema = document.paths[path]?.[method]?.requestBody?.content["application/json"]?.schema;
  const named = document.components.schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? schema;
  return Object.keys(named?.properties ?? {});
}

const Fields = z.record(z.string(), z.unknown());
const pick = (fields: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

interface Resource {
  readonly project: Project;
  /** The path below which it is read, and the key of its object there. */
  readonly read: string;
  readonly key: string;
  readonly update: string;
  readonly id: number;
}

async function read({ project, read: path, key }: Resource): Promise<Record<string, unknown>> {
  const answer = await project.call("GET", path);
  return Fields.parse(Fields.parse(answer.body)[key]);
}

const CHANGING = ["updated_at", "next_call_time_stamp"];
const lasting = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !CHANGING.includes(name)));

/** The fields that were sent. */
async function sendBack(resource: Resource, expect: (value: unknown) => { toEqual(other: unknown): void }) {
  const before = await read(resource);
  const body = pick(before, fieldsAt("put", resource.update));
  const path = resource.update.replace(/\{\w+\}/, String(resource.id));
  const answer = await resource.project.call("PUT", path, { body });
  const { errors = null, warnings = null } = Fields.parse(answer.body);
  expect({ status: answer.status, errors, warnings }).toEqual({ status: 200, errors: null, warnings: null });
  expect(lasting(await read(resource))).toEqual(lasting(before));
  return Object.keys(body);
}

let project: Project;
let channel: ChannelRef;
let twitter: ChannelRef;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook", undefined, { timeZone: "America/New_York" }));
  const [channel_id = 0] = await project.connect("twitter", [HANDLES.fern]);
  twitter = { channel_type: "twitter", channel_id };
});

const SCHEDULED = { publish_mode: "scheduled", schedule_time: "2029-03-05 10:00", time_zone: "Asia/Kolkata" };
const FULL = {
  caption_text: "Ćevapi 😀",
  hash_tags: "lunch, grill",
  first_comment: "Until two.",
  external_id: "menu-1",
  metadata: { menu: "1" },
  media_urls: ["https://cdn.example.com/a.jpg", "https://cdn.example.com/b.jpg"],
  alt_texts: ["A plate", ""],
};
const thread = { post_type: "thread", twitter_threads: [{ message: "one" }, { message: "two" }] };
const POSTS = [
  ["a draft", () => channel, { ...FULL, publish_mode: "draft" }],
  ["a scheduled post", () => channel, { ...FULL, ...SCHEDULED }],
  ["a plain scheduled post", () => channel, { ...SCHEDULED, caption_text: "plain" }],
  ["a queued post", () => channel, { ...FULL, publish_mode: "queued" }],
  ["the next post of the queue", () => channel, { caption_text: "next", publish_mode: "share_next" }],
  ["a scheduled thread", () => twitter, { ...SCHEDULED, ...thread, caption_text: undefined, media_urls: undefined }],
] as const;

test.for(POSTS)("%s", async ([, where, fields], { expect }) => {
  const id = await createPost(project, where(), { media_urls: [], ...fields });
  const path = `/social/post/${id}?include=content`;
  const resource = { project, read: path, key: "post", update: "/social/update-post/{post_id}", id };
  const sent = await sendBack(resource, expect);
  expect(sent).toEqual(expect.arrayContaining(["hash_tags", "alt_texts", "schedule_time", "time_zone", "metadata"]));
  // The same fields also create another.
  const view = await read(resource);
  const body = pick(view, fieldsAt("post", "/social/create-post").concat("channel_id", "channel_type"));
  const kind = { channel_id: Number(view.channel_id), channel_type: view.channel_type };
  const isTimed = view.publish_mode === "scheduled";
  const time = isTimed ? {} : { schedule_time: null };
  const answer = await project.call("POST", "/social/create-post", { body: { ...view, ...body, ...kind, ...time } });
  expect([answer.status, Fields.parse(answer.body).errors]).toEqual([200, undefined]);
});

test.for([
  ["with keywords", { trigger_type: "keywords", keywords: ["price"], response_time: "delayed", delay_time: 60 }],
  ["of a model", { ai_enable: "yes", ai_settings: { response_tone: "casual" } }],
  ["of a model that discloses", { ai_enable: "yes", ai_settings: { disclose: "yes" } }],
  ["that is plain", {}],
] as const)("a bot %s", async ([, fields], { expect }) => {
  const { id } = await makeBot(project, [channel], fields);
  const path = `/social/get-comment-automation/${id}`;
  const update = "/social/update-comment-automation/{id}";
  const resource = { project, read: path, key: "comment_bot", update, id };
  await sendBack(resource, expect);
  expect((await read(resource)).ai_settings).toEqual("ai_settings" in fields ? fields.ai_settings : null);
});

test("a feed", async ({ expect }) => {
  const template = { ...channel, post_type: "post", media_urls: [], caption_text: "{title}" };
  const body = { url: `https://feeds.example.com/${crypto.randomUUID()}`, publish_mode: "draft", posts: [template] };
  const answer = await project.call("POST", "/social/create-feed", { body });
  const id = z.object({ feed: z.object({ feed_id: z.number() }) }).parse(answer.body).feed.feed_id;
  await sendBack(
    { project, read: `/social/get-feed/${id}`, key: "feed", update: "/social/update-feed/{feed_id}", id },
    expect,
  );
});

test("a series", async ({ expect }) => {
  const post = { ...channel, post_type: "post", caption_text: "rolls", media_urls: [] };
  const rule = "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;WKST=SU";
  const body = { rule, start_time: "2030-03-04 09:00", time_zone: "us/pacific", post };
  const created = await project.call("POST", "/social/create-series", { body });
  const { series } = z.object({ series: z.looseObject({ series_id: z.number() }) }).parse(created.body);
  expect(series).toMatchObject({ rule, time_zone: "US/Pacific" });
  const id = series.series_id;
  const path = `/social/get-series/${id}`;
  const update = "/social/update-series/{series_id}";
  await sendBack({ project, read: path, key: "series", update, id }, expect);
  const again = await project.call("POST", "/social/create-series", {
    body: { ...pick(series, fieldsAt("post", "/social/create-series")), post },
  });
  expect(again.status).toBe(200);
});

test("a webhook", async ({ expect }) => {
  const body = { url: "https://shop.example/hooks", events: ["post.published"], events_per_request: 5 };
  const answer = await project.call("POST", "/social/create-webhook", { body });
  const Created = z.object({ webhook: z.looseObject({ id: z.number() }) });
  const { id } = Created.parse(answer.body).webhook;
  const update = "/social/update-webhook/{webhook_id}";
  await sendBack({ project, read: `/social/get-webhook/${id}`, key: "webhook", update, id }, expect);
});

test.for([
  ["us/pacific", "US/Pacific"],
  ["EUROPE/berlin", "Europe/Berlin"],
  ["asia/calcutta", "Asia/Calcutta"],
  ["America/Port-Au-Prince", "America/Port-au-Prince"],
  ["gb-eire", "GB-Eire"],
  ["utc", "UTC"],
] as const)("the zone %s is read as %s", async ([sent, shown], { expect }) => {
  const id = await createPost(project, channel, { ...SCHEDULED, caption_text: crypto.randomUUID(), time_zone: sent });
  const answer = await project.call("GET", `/social/post/${id}?include=content`);
  expect(answer.body).toMatchObject({ post: { time_zone: shown, schedule_time: SCHEDULED.schedule_time } });
});

test.for(["not a url", "ftp://a.example/b.jpg", "data:image/png;base64,AA", "http://a.example/b.jpg"])(
  "the address %s can never work: it is not sent again",
  async (url, { expect }) => {
    const body = { ...channel, post_type: "post", publish_mode: "draft", caption_text: "x", media_urls: [url] };
    const answer = await project.call("POST", "/social/create-post", { body });
    expect([answer.status, answer.body]).toEqual([
      422,
      expect.objectContaining({ code: "invalid_request", again: "no" }),
    ]);
  },
);

test("a campaign", async ({ expect }) => {
  // Empties the tables: the last test.
  await startClean();
  const home = await boostHome("facebook");
  const id = await boost(home);
  const path = `/boost-campaigns/get-campaign/${id}`;
  const update = "/boost-campaigns/update-campaign/{campaign_id}";
  const sent = await sendBack({ project: home.project, read: path, key: "campaign", update, id }, expect);
  expect(sent).toEqual(expect.arrayContaining(["budget", "duration", "countries", "interests", "audience"]));
});
