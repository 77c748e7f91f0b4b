import { env } from "cloudflare:workers";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { deliverWebhooks, makeBot, settled } from "../support/automations.ts";
import { boost, boostHome, type Home } from "../support/boosts.ts";
import { collect, conversationWith, writeTo } from "../support/conversations.ts";
import { uniquely } from "../support/random.ts";
import { addHook } from "../support/receiver.ts";
import { sample, uploaded } from "../support/uploads.ts";
import { call, createPost } from "../support/world.ts";

/** The example of every request does what it says, once it names things that are there. */
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), requestBody: z.unknown().optional() })),
  ),
  components: z.object({ schemas: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })) }),
});
const JsonBody = z.object({
  content: z.object({ "application/json": z.object({ schema: z.object({ $ref: z.string() }) }) }),
});

let home: Home;
let instagram: Home;
beforeAll(async () => {
  home = await boostHome("facebook");
  instagram = await boostHome("instagram");
});

const WAITING = { publish_mode: "draft", caption_text: "waits" };
const newBot = async () => (await makeBot(home.project, [home.channel])).id;
const newWebhook = async () => (await addHook(home.project)).id;

/** A post that has changed as often as the examples of decisions say, and waits for approval. */
async function newProposal(): Promise<number> {
  const id = await createPost(home.project, home.channel, WAITING);
  for (let revision = 1; revision <= APPROVAL_REVISION; revision++) {
    const body = { publish_mode: "now", note: `Request ${revision}` };
    await home.project.call("POST", `/social/request-approval/${id}`, { body });
  }
  return id;
}
const APPROVAL_REVISION = 3;

/** A checked file of one post. */
async function newImport(): Promise<number> {
  const raw = `channel_id,caption_text\n${home.channel.channel_id},From a file\n`;
  const headers = { "Content-Type": "text/csv", "Content-Length": String(raw.length) };
  const { body } = await home.project.call("POST", "/social/import-posts", { raw, headers });
  return z.object({ import: z.object({ import_id: z.number() }) }).parse(body).import.import_id;
}

async function newSeries(): Promise<number> {
  const post = { ...home.channel, post_type: "post", caption_text: "again", media_urls: [] };
  const body = { rule: "FREQ=DAILY", start_time: "2030-03-04 09:00", post };
  const answer = await home.project.call("POST", "/social/create-series", { body });
  return z.object({ series: z.object({ series_id: z.number() }) }).parse(answer.body).series.series_id;
}

async function newFeed(): Promise<number> {
  const posts = [{ ...home.channel, post_type: "post", caption_text: "{title}", media_urls: [] }];
  const body = { url: "https://feeds.example.com/feed.xml", publish_mode: "draft", posts };
  const answer = await home.project.call("POST", "/social/create-feed", { body });
  return z.object({ feed: z.object({ feed_id: z.number() }) }).parse(answer.body).feed.feed_id;
}

/** A comment of someone else under a post of the channel. */
async function newComment(): Promise<number> {
  const { channel, postId } = home;
  const row = await env.DB.prepare(
    `INSERT INTO comments (project_id, channel_id, post_id, comment_id, text, created_at, seen_at, urgency)
     SELECT project_id, id, ?1, ?2, 'How much?', ?3, ?3, 2 FROM channels WHERE id = ?4 RETURNING id`,
  )
    .bind(postId, crypto.randomUUID(), Date.now(), channel.channel_id)
    .first();
  return z.object({ id: z.number() }).parse(row).id;
}

async function newConversation(): Promise<number> {
  await collect(home.project, home.channel);
  const author = uniquely("Ada");
  const { channel_id } = home.channel;
  const row = await env.DB.prepare("SELECT account_id FROM channels WHERE id = ?").bind(channel_id).first();
  await writeTo("facebook", z.string().parse(row?.account_id), "Do you ship?", author);
  await deliverWebhooks();
  await settled();
  return (await conversationWith(home.project, author)).conversation_id;
}

/** What the path of an operation names; made for it. */
const NAMED: Readonly<Record<string, () => Promise<number | string>>> = {
  updatePost: () => createPost(home.project, home.channel, WAITING),
  requestApproval: () => createPost(home.project, home.channel, WAITING),
  approvePost: newProposal,
  sendBackPost: newProposal,
  startImport: newImport,
  updateMedia: async () => (await uploaded(home.project, await sample("square.png"))).url.slice(-36, -4),
  updateSeries: newSeries,
  updateFeed: newFeed,
  updateChannelTimetable: async () => home.channel.channel_id,
  replyToComment: newComment,
  updateComment: newComment,
  updateChannel: async () => home.channel.channel_id,
  sendMessage: newConversation,
  updateConversation: newConversation,
  updateCommentAutomation: newBot,
  testCommentAutomation: newBot,
  updateCampaign: () => boost(home, { duration_type: "daily_budget", budget: 15.5 }),
  updateWebhook: newWebhook,
  replayWebhook: newWebhook,
};

/** The example with the ids of existing rows. */
function filled(example: unknown, { channel, postId, account }: Home): Readonly<Record<string, unknown>> {
  const ids: Readonly<Record<string, unknown>> = {
    channel_id: channel.channel_id,
    channel_type: channel.channel_type,
    channels: [channel.channel_id],
    social_post_id: postId,
    ad_account_id: account.id,
  };
  return z.record(z.string(), z.unknown()).parse(withIds(example, ids));
}

/** Also in the posts of one request. */
function withIds(value: unknown, ids: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((part) => withIds(part, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, ids[name] ?? withIds(part, ids)]));
}

test("each is answered as it should be", async ({ expect }) => {
  const { paths, components } = Document.parse((await call("GET", "/openapi.json")).body);
  const refused: unknown[] = [];
  let count = 0;
  for (const [template, methods] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      const ref = JsonBody.safeParse(requestBody).data?.content["application/json"].schema.$ref;
      if (ref === undefined) continue;
      const from = operationId === "getInstagramPostEligibility" ? instagram : home;
      const id = template.includes("{") ? await NAMED[operationId]?.() : undefined;
      const path = template.replace(/\{\w+\}/, String(id));
      const body = filled(components.schemas[ref.split("/").at(-1) ?? ""]?.example, from);
      const answer = await from.project.call(method.toUpperCase(), path, { body });
      count += 1;
      if (answer.status !== 200) refused.push([operationId, path, answer.status, answer.body]);
    }
  }
  expect(refused).toEqual([]);
  expect(count).toBeGreaterThan(15);
});
