import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Scope } from "../scripts/support/command.ts";
import { callJson, waitFor } from "../scripts/support/http.ts";
import { readEvent } from "../scripts/support/logs.ts";
import { localDatabase } from "../scripts/support/prepare.ts";
import { table } from "../scripts/support/terminal.ts";
import { fireCron } from "../scripts/support/workers.ts";
import { bootWorld, connectAll, type World } from "../scripts/support/world.ts";

/** The calls of deliveries to storage and platforms, from the service's own log. */
export interface Delivered {
  readonly name: string;
  readonly cost: Cost;
  readonly atMost: Pick<Cost, "d1Calls" | "d1RowsRead" | "d1RowsWritten" | "fetches">;
}

const Cost = z.object({
  d1Calls: z.int(),
  d1Statements: z.int(),
  d1RowsRead: z.int(),
  d1RowsWritten: z.int(),
  queueSends: z.int(),
  fetches: z.int(),
});
type Cost = z.output<typeof Cost>;
const Invocation = Cost.extend({ event: z.literal("invocation"), deliveries: z.literal(1) });
/** The log line with a delivery's subject precedes the line with its costs. */
const About = z.object({ event: z.enum(["recurring", "job"]), key: z.string() });

const BOTS = 3;
/** Less than a page. */
const COMMENTS = 90;
/** A platform with a separate rate limit for reads; elsewhere a check also writes its rate wait. */
const PLATFORM = "facebook";

/**
 * Uses the sandbox. Measures one post with three automations: a check without new comments, a check with a
 * hundred, and one reply. Also measures a generated text and a campaign of the post.
 */
export async function measureDeliveries(scope: Scope): Promise<readonly Delivered[]> {
  const seen = new Map<string, Cost>();
  let about = "";
  const onLine = (line: string) => {
    const event = readEvent(line);
    about = About.safeParse(event).data?.key ?? about;
    const invocation = Invocation.safeParse(event);
    if (invocation.success) seen.set(about.replace(/:.*/, ""), invocation.data);
  };
  const world = await bootWorld(scope, { variables: { LOG_LEVEL: "all" }, logLevel: "log", onLine });
  await world.control.settings({ webhooks: "hold" });
  const postId = await livePost(world);
  const costOf = async (kind: string): Promise<Cost> => {
    const cost = await waitFor(async () => seen.get(kind) ?? null, { timeoutMs: 60_000, everyMs: 100 });
    if (!cost) throw new Error(`No ${kind} was delivered.`);
    return cost;
  };
  const look = async (): Promise<Cost> => {
    seen.clear();
    await makeLookDue(world);
    return costOf("comments");
  };

  await makeBot(world, "answer");
  for (let bot = 1; bot < BOTS; bot++) await makeBot(world, "nothing");
  // The first check also writes its initial state.
  await look();
  const quiet = await look();
  await world.control.comment(PLATFORM, postId, "Answer me");
  await look();
  const answer = await costOf("reply");
  for (let count = 0; count < COMMENTS; count++) await world.control.comment(PLATFORM, postId, `Comment ${count}`);
  const intake = await look();
  await world.api.createGeneration({ post_type: "text_only", input: "Bells at noon" }, crypto.randomUUID());
  const written = await costOf("generate");
  await boost(world);
  const made = await costOf("campaign");
  // While the platform reviews the campaign, its job polls every 30 seconds.
  seen.clear();
  const stands = await costOf("campaign");
  return [
    {
      name: `a look, ${BOTS} automations`,
      cost: quiet,
      atMost: { d1Calls: 3, d1RowsRead: 60, d1RowsWritten: 6, fetches: 1 },
    },
    {
      name: `${COMMENTS} comments, ${BOTS} automations`,
      cost: intake,
      atMost: { d1Calls: 5, d1RowsRead: 25 * BOTS * COMMENTS, d1RowsWritten: 15 * COMMENTS, fetches: 1 },
    },
    {
      name: "an answer in public and in private",
      cost: answer,
      atMost: { d1Calls: 12, d1RowsRead: 130, d1RowsWritten: 25, fetches: 2 },
    },
    {
      name: "a text that is written",
      cost: written,
      atMost: { d1Calls: 6, d1RowsRead: 40, d1RowsWritten: 15, fetches: 1 },
    },
    {
      name: "a campaign that is made",
      cost: made,
      // Covers preparation, creation of four objects, activation and reading of three, and a status check.
      atMost: { d1Calls: 18, d1RowsRead: 90, d1RowsWritten: 30, fetches: 15 },
    },
    {
      name: "a look at a campaign",
      cost: stands,
      atMost: { d1Calls: 5, d1RowsRead: 40, d1RowsWritten: 8, fetches: 2 },
    },
  ];
}

/** Boosts the bench post for a week. */
async function boost({ api }: World): Promise<void> {
  const [channel] = await api.listChannels();
  const [account] = (await api.listAdAccounts(channel?.channel_id ?? 0)).filter(({ usable }) => usable);
  const [post] = (await api.listPosts(`channels=${PLATFORM}`)).data;
  if (!account || !post) throw new Error("There is nothing to boost.");
  await api.createCampaign(
    {
      social_post_id: post.post_id,
      name: "Bench",
      duration_type: "lifetime_budget",
      budget: 7_000,
      duration: 7,
      ad_account_id: account.id,
      countries: ["DE"],
    },
    crypto.randomUUID(),
  );
}

async function livePost(world: World): Promise<string> {
  const { api, control } = world;
  await connectAll(world, [PLATFORM], 1);
  const [channel] = await api.listChannels();
  const id = await api.createPost({
    channel_type: PLATFORM,
    channel_id: channel?.channel_id ?? 0,
    post_type: "post",
    publish_mode: "now",
    caption_text: "A post of the bench",
    media_urls: [],
  });
  await waitFor(async () => (await api.findPost(id)).STATUS === "published" || undefined, {
    timeoutMs: 60_000,
    everyMs: 200,
  });
  const [live] = await control.postsWith("A post of the bench");
  if (!live) throw new Error("The post of the bench is not live.");
  return live.id;
}

async function makeBot({ api, service, token }: World, keyword: string): Promise<void> {
  const channels = (await api.listChannels()).map((channel) => channel.channel_id);
  const answer = await callJson("POST", `${service.origin}/api/v1/social/create-comment-automation`, {
    headers: { Authorization: `Bearer ${token}` },
    body: {
      name: "Bench",
      channels,
      trigger_type: "keywords",
      keywords: [keyword],
      comment_reply: "Thank you!",
      direct_message: "Here it is.",
      ai_enable: "no",
    },
  });
  if (answer.status !== 200) throw new Error(`No automation: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Makes only the comment checks due, and runs the sweep now. */
async function makeLookDue(world: World): Promise<void> {
  const file = localDatabase(join(world.directory, "service"));
  if (file === null) throw new Error("There is no database.");
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    database.exec("UPDATE recurring SET due_at = CASE WHEN kind = 'comments' THEN 1 ELSE due_at + 86400000 END");
  } finally {
    database.close();
  }
  await fireCron(world.service.origin);
}

export function deliveryTable(delivered: readonly Delivered[]): string {
  const rows = delivered.map(({ name, cost }) => [
    name,
    ...[cost.d1Calls, cost.d1Statements, cost.d1RowsRead, cost.d1RowsWritten, cost.queueSends, cost.fetches].map(
      String,
    ),
  ]);
  const header = ["DELIVERY", "D1 CALLS", "STATEMENTS", "ROWS READ", "WRITTEN", "SENDS", "TO THE PLATFORM"];
  return table(header, rows, [1, 2, 3, 4, 5, 6]);
}
