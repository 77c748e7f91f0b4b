import { join } from "node:path";
import { z } from "zod";
import type { Scope } from "../scripts/support/command.ts";
import { type Finding, untilPublished } from "../scripts/support/driver.ts";
import { waitFor } from "../scripts/support/http.ts";
import { readEvent } from "../scripts/support/logs.ts";
import { withDatabase } from "../scripts/support/prepare.ts";
import { say, table } from "../scripts/support/terminal.ts";
import { fireCron } from "../scripts/support/workers.ts";
import { bootWorld, connectAll, type World } from "../scripts/support/world.ts";
import { limited } from "./promises.ts";

/** The calls of deliveries to storage and platforms, from the service's own log. */
interface Delivered {
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
export async function measureDeliveries(scope: Scope): Promise<readonly Finding[]> {
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
  const post = await publish(world);
  const costOf = async (kind: string): Promise<Cost> => {
    const cost = await waitFor(async () => seen.get(kind) ?? null, { timeoutMs: 60_000, everyMs: 100 });
    if (!cost) throw new Error(`No ${kind} was delivered.`);
    return cost;
  };
  const check = async (): Promise<Cost> => {
    seen.clear();
    await makeCheckDue(world);
    return costOf("comments");
  };

  await makeBot(world, post, "answer");
  for (let bot = 1; bot < BOTS; bot++) await makeBot(world, post, "nothing");
  // The first check also writes its initial state.
  await check();
  const quiet = await check();
  await world.control.comment(PLATFORM, post.platformId, "Answer me");
  await check();
  const answer = await costOf("reply");
  for (let count = 0; count < COMMENTS; count++)
    await world.control.comment(PLATFORM, post.platformId, `Comment ${count}`);
  const intake = await check();
  await world.api.createGeneration({ post_type: "text_only", input: "Bells at noon" }, crypto.randomUUID());
  const written = await costOf("generate");
  await boost(world, post);
  const made = await costOf("campaign");
  // While the platform reviews the campaign, its job polls every 30 seconds.
  seen.clear();
  const stands = await costOf("campaign");
  const delivered: readonly Delivered[] = [
    {
      name: `a check, ${BOTS} automations`,
      cost: quiet,
      atMost: { d1Calls: 3, d1RowsRead: 60, d1RowsWritten: 6, fetches: 1 },
    },
    {
      name: `${COMMENTS} comments, ${BOTS} automations`,
      cost: intake,
      atMost: { d1Calls: 5, d1RowsRead: 25 * BOTS * COMMENTS, d1RowsWritten: 15 * COMMENTS, fetches: 1 },
    },
    {
      name: "a reply in public and in private",
      cost: answer,
      // Eight of the rows written are the channel's own comment and the answered one, each with its place in
      // three lists. Six are the rate buckets and the month's counts of both calls.
      atMost: { d1Calls: 7, d1RowsRead: 130, d1RowsWritten: 28, fetches: 2 },
    },
    {
      name: "a generated text",
      cost: written,
      // Thirteen of the rows read count the call and its tokens in the month.
      atMost: { d1Calls: 5, d1RowsRead: 42, d1RowsWritten: 12, fetches: 1 },
    },
    {
      name: "a created campaign",
      cost: made,
      // Covers preparation, creation of four objects, activation and reading of three, and a status check.
      atMost: { d1Calls: 18, d1RowsRead: 90, d1RowsWritten: 30, fetches: 15 },
    },
    {
      name: "a check of a campaign",
      cost: stands,
      atMost: { d1Calls: 5, d1RowsRead: 55, d1RowsWritten: 8, fetches: 2 },
    },
  ];
  const rows = delivered.map(({ name, cost }) => [name, ...COLUMNS.map((column) => cost[column])]);
  say(`\n${table(["DELIVERY", "D1 CALLS", "STATEMENTS", "ROWS READ", "WRITTEN", "SENDS", "TO THE PLATFORM"], rows)}`);
  return delivered.map(findingOf);
}

const COLUMNS = ["d1Calls", "d1Statements", "d1RowsRead", "d1RowsWritten", "queueSends", "fetches"] as const;

function findingOf({ name, cost, atMost }: Delivered): Finding {
  const shown = ({ d1Calls, d1RowsRead, d1RowsWritten, fetches }: Delivered["atMost"]) =>
    `${d1Calls} calls, ${d1RowsRead} rows, ${d1RowsWritten} written, ${fetches} to the platform`;
  const holds =
    cost.d1Calls <= atMost.d1Calls &&
    cost.d1RowsRead <= atMost.d1RowsRead &&
    cost.d1RowsWritten <= atMost.d1RowsWritten &&
    cost.fetches <= atMost.fetches;
  return limited(name, shown(cost), `≤ ${shown(atMost)}`, holds);
}

/** The post of the bench. */
interface Live {
  readonly id: number;
  readonly channelId: number;
  readonly platformId: string;
}

/** Boosts the post for a week. */
async function boost({ api }: World, { id, channelId }: Live): Promise<void> {
  const [account] = (await api.listAdAccounts(channelId)).filter(({ usable }) => usable);
  if (!account) throw new Error("There is no usable ad account.");
  await api.createCampaign(
    {
      social_post_id: id,
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

async function publish(world: World): Promise<Live> {
  const { api, control } = world;
  await connectAll(world, [PLATFORM], 1);
  const [channel] = await api.listChannels();
  const channelId = channel?.channel_id ?? 0;
  const id = await api.createPost({
    channel_type: PLATFORM,
    channel_id: channelId,
    post_type: "post",
    publish_mode: "now",
    caption_text: "A post of the bench",
    media_urls: [],
  });
  await untilPublished(api, id);
  const [live] = await control.postsWith("A post of the bench");
  if (!live) throw new Error("The post of the bench is not live.");
  return { id, channelId, platformId: live.id };
}

async function makeBot({ api }: World, { channelId }: Live, keyword: string): Promise<void> {
  await api.createAutomation({
    name: "Bench",
    channels: [channelId],
    trigger_type: "keywords",
    keywords: [keyword],
    comment_reply: "Thank you!",
    direct_message: "Here it is.",
    ai_enable: "no",
  });
}

const DUE = "UPDATE recurring SET due_at = CASE WHEN kind = 'comments' THEN 1 ELSE due_at + 86400000 END";

/** Makes only the comment checks due, and runs the sweep now. */
async function makeCheckDue({ directory, service }: World): Promise<void> {
  withDatabase(join(directory, "service"), (database) => database.exec(DUE));
  await fireCron(service.origin);
}
