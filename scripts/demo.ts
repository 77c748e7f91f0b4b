import { HANDLES, PAGES } from "../test/support/person.ts";
import type { Api, Channel, NewPost, Post } from "./support/api.ts";
import { runCommand, type Scope } from "./support/command.ts";
import { waitFor } from "./support/http.ts";
import { bold, clock, cyan, dim, green, mark, red, say, seconds, table } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { bootWorld, connectAccounts, type World } from "./support/world.ts";

const TIME_ZONE = "Europe/Berlin";
const MINUTE_MS = 60_000;
const PATIENCE_MS = 90_000;

/** `npm run demo`: the main job in one go, seen from outside: connect, publish, schedule, follow. */
async function demo(scope: Scope): Promise<number> {
  say(bold("Belfry demo: connect channels, publish, schedule"));
  const since = Date.now();
  const world = await bootWorld(scope);
  const { service, sandbox, api, control } = world;
  scope.defer(startCron(service.origin, (message) => say(red(`cron: ${message}`))));
  done("Booted", `service ${service.origin}, sandbox ${sandbox.origin} ${dim(seconds(Date.now() - since))}`);

  const session = await connectAccounts(api, {
    platforms: ["facebook", "twitter"],
    accounts: [PAGES.fern, PAGES.harbour, HANDLES.bikes],
  });
  done(
    "Connected",
    `${session.platform}: channels ${session.channel_ids?.join(", ")} ${dim("through the hosted page")}`,
  );
  const channels = (await api.listChannels()).sort((a, b) => a.channel_id - b.channel_id);
  for (const channel of channels) say(`    ${channel.channel_id}  ${channel.channel_type}  ${channel.name}`);

  const posts: CreatedPost[] = [];
  for (const planned of plan(channels, control.media)) {
    posts.push({ ...planned, id: await api.createPost(planned.body) });
  }
  done("Created", `${posts.length} posts, one of them for ${posts.at(-1)?.body.schedule_time} in ${TIME_ZONE}`);
  say(dim("  The scheduled one goes out at its very minute; the others follow as they end."));
  say();

  const outcomes = await Promise.all(posts.map((post) => follow(api, post)));
  const live = await control.posts();
  tell(outcomes, live);
  const isAllPublished = outcomes.every((post) => post.STATUS === "published");
  const expected = posts.reduce((sum, { body }) => sum + (body.twitter_threads?.length ?? 1), 0);
  if (isAllPublished && live.length === expected) {
    say(green(`\nAll ${posts.length} posts are published: ${live.length} live items on the platforms.`));
    return 0;
  }
  say(red(`\nNot all of it is published: ${live.length} live items on the platforms, ${expected} expected.`));
  return 1;
}

interface PlannedPost {
  readonly what: string;
  readonly body: NewPost;
}
interface CreatedPost extends PlannedPost {
  readonly id: number;
}

/** One post of each kind over the connected channels; the scheduled one last. */
function plan(channels: readonly Channel[], mediaUrl: World["control"]["media"]): readonly PlannedPost[] {
  const [page, other] = channels.filter(({ channel_type: type }) => type === "facebook");
  const [account] = channels.filter(({ channel_type: type }) => type === "twitter");
  if (!page || !other || !account) throw new Error("Two facebook pages and one twitter account were expected.");
  const on = (channel: Channel, body: Partial<NewPost>): NewPost => ({
    channel_type: channel.channel_type,
    channel_id: channel.channel_id,
    post_type: "post",
    caption_text: "",
    media_urls: [],
    publish_mode: "now",
    ...body,
  });
  const image = mediaUrl("square.jpg");
  return [
    {
      what: `text on ${page.name}`,
      body: on(page, { caption_text: "The bells ring at noon.", hash_tags: "belfry, noon" }),
    },
    {
      what: `a photo on ${other.name}`,
      body: on(other, { caption_text: "Seen from the tower.", media_urls: [image] }),
    },
    {
      what: `a photo on ${account.name}`,
      body: on(account, { post_type: "tweet", caption_text: "Seen from the tower, on X.", media_urls: [image] }),
    },
    {
      what: `a thread on ${account.name}`,
      body: on(account, {
        post_type: "thread",
        twitter_threads: [
          { message: "1/3 How a bell is cast." },
          { message: "2/3 First comes the mould.", media_urls: [image] },
          { message: "3/3 Then the bronze." },
        ],
      }),
    },
    {
      what: `scheduled text on ${page.name}`,
      body: on(page, {
        caption_text: "Right on time.",
        publish_mode: "scheduled",
        schedule_time: wallClock(nextMinute()),
        time_zone: TIME_ZONE,
      }),
    },
  ];
}

/** Waits until the post is published or failed and prints its timeline. */
async function follow(api: Api, { id, what, body }: CreatedPost): Promise<Post> {
  const isOver = ({ STATUS }: Post) => STATUS === "published" || STATUS === "failed";
  const patienceMs = body.publish_mode === "scheduled" ? 2 * PATIENCE_MS : PATIENCE_MS;
  const ended = await waitFor(
    async () => {
      const post = await api.findPost(id);
      return isOver(post) ? post : null;
    },
    { timeoutMs: patienceMs, everyMs: 250 },
  );
  const post = ended ?? (await api.findPost(id));
  const events = await api.listEvents(id);
  say(`${mark(post.STATUS === "published")} ${bold(`Post ${id}`)}  ${what}`);
  for (const event of events) {
    say(`    ${dim(clock(new Date(event.created_at)))}  ${event.type.padEnd(18)} ${event.message}`);
  }
  if (post.permalink) say(`    ${cyan(post.permalink)}`);
  if (post.STATUS !== "published") say(`    ${red(`${post.STATUS}: ${post.error ?? "no end in sight"}`)}`);
  say();
  return post;
}

function tell(outcomes: readonly Post[], live: Awaited<ReturnType<World["control"]["posts"]>>): void {
  say(bold("What the platforms show now"));
  const rows = live
    .toReversed()
    .map((item) => [
      item.platform,
      clock(new Date(item.created_at)),
      item.text.replaceAll("\n", " ").slice(0, 44),
      item.media.length || "",
      item.reply_to ? `reply to ${item.reply_to}` : "",
    ]);
  say(table(["PLATFORM", "TIME", "TEXT", "MEDIA", ""], rows, [3]));
  const lost = outcomes.filter((post) => post.STATUS !== "published");
  if (lost.length > 0) say(red(`  not published: ${lost.map((post) => post.post_id).join(", ")}`));
}

/** The next full minute that is at least twenty seconds away. */
const nextMinute = () => Math.ceil((Date.now() + 20_000) / MINUTE_MS) * MINUTE_MS;

/** `YYYY-MM-DD HH:mm` as a clock on the wall there reads it. */
function wallClock(instant: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: TIME_ZONE, dateStyle: "short", timeStyle: "short" });
  return format.format(instant);
}

const done = (title: string, text: string) => say(`${green("✓")} ${title.padEnd(10)} ${text}`);

await runCommand(demo);
