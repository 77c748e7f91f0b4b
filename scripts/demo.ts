import type { LivePost } from "../test/support/control.ts";
import { answerComments } from "./support/answering.ts";
import type { Api, Channel, NewPost, Post } from "./support/api.ts";
import { boostOne } from "./support/boosting.ts";
import { readArguments, runCommand, type Scope } from "./support/command.ts";
import { conclude, countBroken, isEnded, note, sayFindings, startRun } from "./support/driver.ts";
import { waitFor } from "./support/http.ts";
import { type Kind, type KnownPlatform, knownPlatforms } from "./support/kinds.ts";
import { bodyOf, inTurn } from "./support/soak-plan.ts";
import { bold, clock, cyan, dim, eventLine, mark, red, say, seconds, table } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { connectAll, type World } from "./support/world.ts";

const USAGE = `npm run demo: connects every platform of the sandbox, publishes each kind of post, schedules one, has a bot answer comments
and boosts a post. Runs a service and a sandbox of its own.

  --production   publishes once more on every platform, while they are as late and odd as real platforms`;

const TIME_ZONE = "Europe/Berlin";
const MINUTE_MS = 60_000;
const PATIENCE_MS = 180_000;
const ACCOUNTS_EACH = 2;
/** The poll interval of all posts, within a token's rate limit. */
const ASK_EVERY_MS = 1500;

async function demo(scope: Scope): Promise<number> {
  const { production } = readArguments({ production: { type: "boolean", default: false } });
  const title = "demo: connect channels, publish, schedule, answer comments, boost";
  const run = await startRun(scope, { title, seed: 1 });
  const { world } = run;
  const { service, sandbox, api, control } = world;
  scope.defer(startCron(service.origin, (message) => say(red(`cron: ${message}`))));
  note(run, `booted: service ${service.origin}, sandbox ${sandbox.origin}`);

  const known = knownPlatforms();
  const logins = known.flatMap((one) => one.logins);
  const session = await connectAll(world, logins, ACCOUNTS_EACH);
  note(run, `connected through the hosted page: ${session.platform}`);
  const channels = (await api.listChannels()).sort((a, b) => a.channel_id - b.channel_id);
  const rows = channels.map((channel) => [channel.channel_id, channel.channel_type, channel.name]);
  say(table(["CHANNEL", "PLATFORM", "NAME"], rows));

  const posts: CreatedPost[] = [];
  for (const planned of plan(known, channels, control.media)) {
    posts.push({ ...planned, id: await api.createPost(planned.body) });
  }
  note(run, `created: ${posts.length} posts, one of them for ${posts.at(-1)?.body.schedule_time} in ${TIME_ZONE}\n`);
  const outcomes = await Promise.all(posts.map((post) => follow(api, post)));
  const live = await control.posts();
  showLive(live);
  const expected = posts.reduce((sum, { body }) => sum + (body.twitter_threads?.length ?? 1), 0);
  const published = posts.flatMap(({ id, body }) => {
    const post = outcomes.find((one) => one.post_id === id && one.STATUS === "published");
    return post ? [{ post, body }] : [];
  });
  const findings = [
    { holds: published.length === posts.length, text: `${published.length} of ${posts.length} posts are published` },
    { holds: live.length === expected, text: `${live.length} of ${expected} items are live on the platforms` },
    await answerComments(world, channels, published, live),
    await boostOne(world, published),
    ...(production ? [await rehearse(world, known, channels)] : []),
  ];
  say();
  sayFindings(findings);
  return conclude(run, countBroken(findings), `${known.length} platforms`);
}

/** One post of each platform, while the platforms show everything that real ones show on an ordinary day. */
async function rehearse(
  { api, control }: World,
  known: readonly KnownPlatform[],
  channels: readonly Channel[],
): Promise<{ readonly holds: boolean; readonly text: string }> {
  await control.settings({ realism: "production" });
  say(bold("\nOnce more, as late and odd as real platforms"));
  const created: CreatedPost[] = [];
  for (const { name, kinds } of known) {
    const [kind] = kinds;
    const channel = channels.find(({ channel_type: type }) => type === name);
    if (!kind || !channel) throw new Error(`No channel of ${name} was connected.`);
    const body = bodyOf(kind, channel, itemsOf(kind, control.media));
    created.push({ what: `${name}, rehearsed`, body, isTimelineShown: false, id: await api.createPost(body) });
  }
  const ended = await Promise.all(created.map((post) => follow(api, post)));
  const live = ended.filter(({ STATUS }) => STATUS === "published").length;
  return {
    holds: live === created.length,
    text: `${live} of ${created.length} posts are published in production moods`,
  };
}

interface PlannedPost {
  readonly what: string;
  readonly body: NewPost;
  /** Whether the complete timeline is printed. */
  readonly isTimelineShown: boolean;
}
interface CreatedPost extends PlannedPost {
  readonly id: number;
}

/** Every kind of every platform over the connected channels, and one scheduled post at the end. */
function plan(
  known: readonly KnownPlatform[],
  channels: readonly Channel[],
  mediaUrl: World["control"]["media"],
): readonly PlannedPost[] {
  const now = known.flatMap(({ name, kinds }) => {
    const own = channels.filter(({ channel_type: type }) => type === name);
    return kinds.map((kind, at): PlannedPost => {
      const channel = inTurn(own, at);
      const body = { ...bodyOf(kind, channel, itemsOf(kind, mediaUrl)), hash_tags: "belfry" };
      return { what: `${name}, ${kind.name} on ${channel.name}`, body, isTimelineShown: kind.items.length > 1 };
    });
  });
  const [kind] = inTurn(known, 0).kinds;
  const [channel] = channels.filter(({ channel_type: type }) => type === kind.platform);
  if (!channel) throw new Error(`No channel of ${kind.platform} was connected.`);
  const body: NewPost = {
    ...bodyOf(kind, channel, [
      { text: "Right on time.", media: itemsOf(kind, mediaUrl).flatMap(({ media }) => media) },
    ]),
    publish_mode: "scheduled",
    schedule_time: wallClock(nextMinute()),
    time_zone: TIME_ZONE,
  };
  return [...now, { what: `${kind.platform}, scheduled on ${channel.name}`, body, isTimelineShown: true }];
}

function itemsOf({ platform, name, items }: Kind, mediaUrl: World["control"]["media"]) {
  return items.map((files, index) => {
    const place = items.length > 1 ? `${index + 1}/${items.length} ` : "";
    return { text: `${place}The bells ring at noon: ${name} for ${platform}.`, media: files.map(mediaUrl) };
  });
}

/** Waits until the post is published or failed and prints the outcome. */
async function follow(api: Api, { id, what, body, isTimelineShown }: CreatedPost): Promise<Post> {
  const patienceMs = body.publish_mode === "scheduled" ? 2 * PATIENCE_MS : PATIENCE_MS;
  const ended = await waitFor(
    async () => {
      const post = await api.findPost(id);
      return isEnded(post) && post;
    },
    { timeoutMs: patienceMs, everyMs: ASK_EVERY_MS },
  );
  const post = ended ?? (await api.findPost(id));
  const events = await api.listEvents(id);
  const took = isEnded(post) ? dim(seconds(tookMs(events))) : "";
  say(`${mark(post.STATUS === "published")} ${bold(`Post ${id}`)}  ${what} ${took}`);
  const isWhole = isTimelineShown || post.STATUS !== "published";
  for (const event of isWhole ? events : []) say(eventLine(event));
  if (post.permalink) say(`    ${cyan(post.permalink)}`);
  if (post.STATUS !== "published") say(`    ${red(`${post.STATUS}: ${post.error ?? "not finished"}`)}`);
  if (isWhole) say();
  return post;
}

/** From its creation to its last event. */
function tookMs(events: readonly { readonly created_at: string }[]): number {
  const [first, last] = [events.at(0), events.at(-1)];
  return first && last ? Date.parse(last.created_at) - Date.parse(first.created_at) : 0;
}

function showLive(live: readonly LivePost[]): void {
  say(bold("What the platforms show now"));
  const rows = live.toReversed().map((item) => {
    const text = item.text.replaceAll("\n", " ").slice(0, 44);
    const at = clock(new Date(item.created_at));
    return [item.platform, at, text, item.media.length || "", item.reply_to && `reply to ${item.reply_to}`];
  });
  say(table(["PLATFORM", "TIME", "TEXT", "MEDIA", ""], rows));
}

/** The next full minute that is at least 20 seconds away. */
const nextMinute = () => Math.ceil((Date.now() + 20_000) / MINUTE_MS) * MINUTE_MS;

/** Local time in the zone, as `YYYY-MM-DD HH:mm`. */
function wallClock(instant: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: TIME_ZONE, dateStyle: "short", timeStyle: "short" });
  return format.format(instant);
}

await runCommand(USAGE, demo);
