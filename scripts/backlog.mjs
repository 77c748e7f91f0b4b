import "./support/bootstrap.mjs";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, createApi } from "./support/api.mjs";
import { readArguments } from "./support/arguments.mjs";
import { verdictOf } from "./support/backlog-verdict.mjs";
import { Refusal, runCommand } from "./support/command.mjs";
import { connectAccounts } from "./support/connect.mjs";
import { startCron } from "./support/cron.mjs";
import { waitFor } from "./support/http.mjs";
import { bold, clock, dim, green, red, say, table } from "./support/terminal.mjs";
import { bootWorld } from "./support/world.mjs";

const MOST_DELIVERIES = 1.05;
const CONNECTIONS = 16;
const TOKENS = 6;
/** About how fast posts are created; from it follows the minute for which all are scheduled. */
const CREATED_PER_SECOND = 60;
const END_MS = 20 * 60_000;
/** No delivery for this long: nothing is left in the queue. A message is sent again after less. */
const QUIET_MS = 70_000;
const TELL_EVERY_MS = 15_000;

const USAGE = `npm run backlog -- [--posts N] [--small N] [--seed N]

Schedules N posts (6000) of two projects, one of them small (60 posts), for one and the same minute, and counts the deliveries
until all have ended. At most twenty minutes; exit 0 only if every post is live exactly once, and there were no more than
${MOST_DELIVERIES} deliveries a post.`;

async function backlog(scope) {
  const options = readArguments({
    posts: { type: "string", default: "6000" },
    small: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", short: "h" },
  });
  if (options.help) return say(USAGE);
  const run = { since: Date.now(), ...readCounts(options), deliveries: createCounter(), sweepErrors: 0 };
  say(`${bold("Belfry backlog")}: ${run.posts} posts, ${run.small} of them a small project's, seed ${run.seed}`);

  const onLine = (line) => countLine(run, line);
  const world = await bootWorld(scope, { variables: { LOG_LEVEL: "all" }, logLevel: "log", onLine });
  // What is asked is how we deliver, not how platforms ration their calls.
  await world.control.settings({ facebook_calls_per_hour: 100_000_000, twitter_rate_limit_scale: 1000 });
  const projects = [
    await bootProject(world, { name: "Large", count: run.posts - run.small, facebookPages: 2, first: 0 }),
    await bootProject(world, { name: "Small", count: run.small, facebookPages: 1, first: 2 }),
  ];
  scope.defer(startCron(world.service.origin, (error) => scope.isEnding || noteSweep(run, error)));

  run.dueAt = dueMinute(run.posts);
  say(dim(`${elapsed(run)}  creating; all are due at ${clock(new Date(run.dueAt))}`));
  // The small project comes last: whoever serves first come, first served lets it wait for all the others.
  for (const project of projects) await createAll(project, run);
  const late = Date.now() - run.dueAt;
  say(dim(`${elapsed(run)}  created${late > 0 ? `, the last ${Math.ceil(late / 1000)} s after its time` : ""}`));
  await settle(projects, run);
  return report(world, projects, run);
}

/** A project with channels on both platforms and several tokens, for each has 100 requests a second. */
async function bootProject(world, { name, count, ...accounts }) {
  const apis = [];
  for (let i = 0; i < TOKENS; i++) {
    const { token } = await world.operator.issueToken({ project: name });
    apis.push(createApi(world.service.origin, token));
  }
  await connectAccounts(apis[0], { platforms: ["facebook", "twitter"], ...accounts });
  return { name, count, apis, channels: await apis[0].listChannels(), plans: [] };
}

async function createAll(project, run) {
  const [day, time] = new Date(run.dueAt).toISOString().split("T");
  const schedule = { publish_mode: "scheduled", schedule_time: `${day} ${time.slice(0, 5)}`, time_zone: "UTC" };
  let next = 0;
  const worker = async () => {
    while (next < project.count) {
      const at = next++;
      const channel = project.channels[at % project.channels.length];
      const text = `Backlog ${run.seed}, ${project.name.toLowerCase()} bell ${String(at + 1).padStart(5, "0")}.`;
      const body = {
        channel_type: channel.channel_type,
        channel_id: Number(channel.channel_id),
        post_type: channel.channel_type === "twitter" ? "tweet" : "post",
        caption_text: text,
        media_urls: [],
        ...schedule,
      };
      const api = project.apis[at % project.apis.length];
      const id = await createSurely(api, run, body, `backlog-${run.seed}-${at}`);
      project.plans.push({ id, text });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

async function createSurely(api, run, body, key) {
  for (;;) {
    try {
      return (await api.createPost(body, key)).post_id;
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (isFinal || isOver(run)) throw error;
      await sleep(500);
    }
  }
}

/** Waits until every post has ended and nothing more is delivered, or the time is up. */
async function settle(projects, run) {
  let toldAt = 0;
  await waitFor(
    async () => {
      const ended = [];
      for (const { apis, count } of projects) ended.push((await countEnded(apis[0])) === count);
      if (!run.allEndedAt && ended.every(Boolean)) {
        run.allEndedAt = Date.now();
        say(dim(`${elapsed(run)}  all ended; listening for deliveries that come after`));
      }
      if (!run.allEndedAt && Date.now() - toldAt >= TELL_EVERY_MS && Date.now() > run.dueAt) {
        toldAt = Date.now();
        await tell(projects, run);
      }
      const isQuiet = Date.now() - run.deliveries.lastAt >= QUIET_MS;
      return isOver(run) || (ended.every(Boolean) && isQuiet);
    },
    { timeoutMs: END_MS, everyMs: 1000 },
  );
}

async function tell(projects, run) {
  const parts = [];
  for (const { name, apis, count } of projects)
    parts.push(`${name.toLowerCase()} ${await countEnded(apis[0])}/${count}`);
  say(dim(`${elapsed(run)}  ended: ${parts.join(", ")}; ${run.deliveries.total} deliveries`));
}

const CHANNELS = "channels=facebook,twitter";
const countEnded = async (api) => (await api.listPosts(`${CHANNELS}&status=published,failed&limit=1`)).total;

async function readAll(api) {
  const posts = [];
  for (let page = 1; ; page++) {
    const { data, last_page: lastPage } = await api.listPosts(`${CHANNELS}&limit=100&page=${page}`);
    posts.push(...data);
    if (page >= lastPage) return posts;
  }
}

async function report(world, projects, run) {
  const live = await world.control.posts();
  const rows = [];
  const broken = [];
  for (const project of projects) {
    const verdict = verdictOf(project.plans, await readAll(project.apis[0]), live);
    broken.push(...verdict.broken);
    const { first, last, median } = verdict.liveAfter(run.dueAt);
    rows.push([
      project.name,
      project.count,
      verdict.published,
      verdict.live,
      seconds(first),
      seconds(median),
      seconds(last),
    ]);
  }
  say();
  say(table(["PROJECT", "POSTS", "PUBLISHED", "LIVE", "FIRST LIVE", "MEDIAN", "LAST LIVE"], rows, [1, 2, 3, 4, 5, 6]));
  const { total, outcomes } = run.deliveries;
  const each = total / run.posts;
  const isLean = each <= MOST_DELIVERIES;
  const kinds = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  say(
    `\n  ${isLean ? green("✓") : red("✗")} ${total} deliveries, ${each.toFixed(3)} a post (≤ ${MOST_DELIVERIES}): ${kinds.join(", ")}`,
  );
  say(`  ${broken.length === 0 ? green("✓") : red("✗")} ${broken.length} posts lost, doubled or not ended`);
  for (const { id, says } of broken.slice(0, 10)) say(`      post ${id}: ${says}`);
  const took = run.allEndedAt ? `all ended ${seconds(run.allEndedAt - run.dueAt)} after their time` : "not all ended";
  say(dim(`\n  ${took}; ${run.sweepErrors} sweeps failed; ${elapsed(run)} in all.`));
  return isLean && broken.length === 0 ? 0 : 1;
}

function createCounter() {
  return { total: 0, outcomes: {}, lastAt: Date.now() };
}

/** Every delivery of a publish job logs one line (src/jobs/runner.ts). */
function countLine(run, line) {
  if (!line.startsWith('{"event":"job"')) return;
  const { key, outcome } = JSON.parse(line);
  if (!key.startsWith("publish:")) return;
  const { deliveries } = run;
  deliveries.total++;
  deliveries.outcomes[outcome] = (deliveries.outcomes[outcome] ?? 0) + 1;
  deliveries.lastAt = Date.now();
}

function noteSweep(run, error) {
  run.sweepErrors++;
  say(dim(`${elapsed(run)}  cron: ${error.message}`));
}

/** The first full minute by which all can be created. */
function dueMinute(posts) {
  const earliest = Date.now() + 15_000 + (posts / CREATED_PER_SECOND) * 1000;
  return Math.ceil(earliest / 60_000) * 60_000;
}

function readCounts({ posts, small, seed }) {
  const read = (name, text, most) => {
    if (/^\d{1,6}$/.test(text) && Number(text) <= most) return Number(text);
    throw new Refusal(`--${name} must be a whole number up to ${most}, not "${text}".`);
  };
  const counts = { posts: read("posts", posts, 20_000), seed: read("seed", seed, 999_999) };
  return { ...counts, small: read("small", small, counts.posts) };
}

const isOver = (run) => Date.now() - run.since > END_MS;
const seconds = (ms) => (ms === null ? "never" : `${(ms / 1000).toFixed(1)} s`);
const elapsed = (run) => `${String(Math.round((Date.now() - run.since) / 1000)).padStart(3)} s`;

await runCommand(backlog);
