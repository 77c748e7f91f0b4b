import { HANDLES, PAGES } from "../test/support/person.ts";
import { createSurely, type NewPost } from "./support/api.ts";
import { readArguments, readSeed, readWhole, runCommand, type Scope } from "./support/command.ts";
import {
  atOnce,
  conclude,
  countBroken,
  countEach,
  type Finding,
  note,
  type Run,
  sayFindings,
  sayWrongs,
  startRun,
  untilRest,
} from "./support/driver.ts";
import { readEvent } from "./support/logs.ts";
import { judgeAll, OUTCOMES, type Plan, sentenceOf } from "./support/post-outcome.ts";
import { inTurn } from "./support/soak-plan.ts";
import { clock, say, seconds, table } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { createProject, type Project, raiseRateLimits } from "./support/world.ts";

const SMALL = 60;
const MOST_DELIVERIES = 1.05;
const CONNECTIONS = 16;
/** Each has 100 requests per second. */
const TOKENS = 6;
/** The approximate rate of post creation, which determines the minute for which all are scheduled. */
const CREATED_PER_SECOND = 60;
const END_MS = 20 * 60_000;
/** Without a delivery for this long, the queue is empty: a retry of a message comes sooner. */
const QUIET_MS = 70_000;
const MOST_PRINTED = 10;

const USAGE = `node scripts/run.mjs scripts/backlog.ts [--posts N] [--seed N]

Schedules N posts (6000) of two projects, one of them small (${SMALL} posts), for one and the same minute, and counts the deliveries
until all have ended. At most twenty minutes; exit 0 only if every post is live exactly once, and there were no more than
${MOST_DELIVERIES} deliveries a post.`;

interface Deliveries {
  lastAt: number;
  readonly outcomes: string[];
}
interface Created extends Plan {
  readonly id: number;
}
interface Share {
  readonly project: Project;
  readonly created: readonly Created[];
}

async function backlog(scope: Scope): Promise<number> {
  const options = readArguments({
    posts: { type: "string", default: "6000" },
    seed: { type: "string" },
  });
  const posts = readWhole("posts", options.posts, 20_000);
  const small = Math.min(SMALL, posts);
  const deliveries: Deliveries = { lastAt: Date.now(), outcomes: [] };
  const run = await startRun(scope, {
    title: `backlog: ${posts} posts, ${small} of them a small project's`,
    seed: readSeed(options.seed),
    variables: { LOG_LEVEL: "all" },
    logLevel: "log",
    onLine: (line) => countLine(deliveries, line),
  });
  await raiseRateLimits(run.world);
  const pages = { accounts: [PAGES.fern, PAGES.harbour, HANDLES.bikes], tokens: TOKENS };
  const large = await createProject(run.world, "Large", pages);
  const other = await createProject(run.world, "Small", { accounts: [PAGES.bikes, HANDLES.harbour], tokens: TOKENS });
  let sweepErrors = 0;
  const onError = (message: string) => {
    sweepErrors++;
    note(run, `cron: ${message}`);
  };
  scope.defer(startCron(run.world.service.origin, onError));

  const dueAt = dueMinute(posts);
  note(run, `creating; all are due at ${clock(new Date(dueAt))}`);
  // The small project is last: a first-come, first-served queue would make it wait for all others.
  const shares = [await createPosts(run, large, posts - small, dueAt), await createPosts(run, other, small, dueAt)];
  const late = Date.now() - dueAt;
  note(run, `created${late > 0 ? `, the last ${Math.ceil(late / 1000)} s after its due time` : ""}`);
  const allEndedAt = await untilEnded(run, shares, deliveries);
  const took = allEndedAt ? `all ended ${seconds(allEndedAt - dueAt)} after their time` : "not all ended";
  const findings = await findingsOf(run, shares, deliveries, dueAt);
  return conclude(run, countBroken(findings), `${took}, ${sweepErrors} sweeps failed`);
}

async function createPosts(run: Run, project: Project, count: number, dueAt: number): Promise<Share> {
  const { name, apis, channels } = project;
  const [day, time = ""] = new Date(dueAt).toISOString().split("T");
  const texts = Array.from({ length: count }, (_, at) => {
    return `Backlog ${run.seed}, ${name.toLowerCase()} bell ${String(at + 1).padStart(5, "0")}.`;
  });
  const created = await atOnce(CONNECTIONS, texts, async (text, at) => {
    const channel = inTurn(channels, at);
    const body: NewPost = {
      channel_type: channel.channel_type,
      channel_id: channel.channel_id,
      post_type: channel.channel_type === "twitter" ? "tweet" : "post",
      caption_text: text,
      media_urls: [],
      publish_mode: "scheduled",
      schedule_time: `${day} ${time.slice(0, 5)}`,
      time_zone: "UTC",
    };
    const isOver = () => Date.now() - run.since > END_MS;
    const id = await createSurely(inTurn(apis, at), body, `backlog-${run.seed}-${at}`, isOver);
    return { id, items: [{ text }] };
  });
  return { project, created };
}

/**
 * Waits until every post has ended and no deliveries follow. Returns the end of the last post; null if time
 * is up.
 */
async function untilEnded(run: Run, shares: readonly Share[], deliveries: Deliveries): Promise<number | null> {
  const timeLeft = () => run.since + END_MS - Date.now();
  const rest = { until: "every post has ended", everyMs: 1000, timeoutMs: timeLeft() };
  const areEnded = await untilRest(run, rest, async () => (await Promise.all(shares.map(findOpen))).flat());
  if (!areEnded) return null;
  const endedAt = Date.now();
  const quiet = { until: "no more deliveries follow", everyMs: 1000, timeoutMs: timeLeft() };
  await untilRest(run, quiet, async () => (Date.now() - deliveries.lastAt >= QUIET_MS ? [] : null));
  return endedAt;
}

const CHANNELS = "channels=facebook,twitter";

/** The project, once for each of its posts that has not ended. */
async function findOpen({ project, created }: Share): Promise<readonly string[]> {
  const { total } = await project.apis[0].listPosts(`${CHANNELS}&status=published,failed&limit=1`);
  return Array.from({ length: created.length - total }, () => project.name);
}

async function findingsOf(run: Run, shares: readonly Share[], { outcomes }: Deliveries, dueAt: number) {
  const live = await run.world.control.posts();
  const rows: (string | number)[][] = [];
  const broken: string[] = [];
  for (const { project, created } of shares) {
    const posts = await project.apis[0].listAllPosts(CHANNELS);
    const results = judgeAll(created, posts, live);
    for (const result of results)
      if (result.verdict !== OUTCOMES.once) broken.push(sentenceOf(result, result.verdict.means));
    const items = results.flatMap((each) => each.live);
    const published = [...posts.values()].filter(({ STATUS }) => STATUS === "published").length;
    const times = items.map(({ created_at: at }) => Date.parse(at) - dueAt).sort((a, b) => a - b);
    const moments = [times.at(0), times.at(times.length >> 1), times.at(-1)];
    const shown = moments.map((ms) => (ms === undefined ? "never" : seconds(ms)));
    rows.push([project.name, created.length, published, items.length, ...shown]);
  }
  const header = ["PROJECT", "POSTS", "PUBLISHED", "LIVE", "FIRST LIVE", "MEDIAN", "LAST LIVE"];
  say(`\n${table(header, rows)}\n`);
  const each = outcomes.length / shares.reduce((sum, { created }) => sum + created.length, 0);
  const findings: Finding[] = [
    {
      holds: each <= MOST_DELIVERIES,
      text: `${outcomes.length} deliveries, ${each.toFixed(3)} a post (≤ ${MOST_DELIVERIES}): ${countEach(outcomes)}`,
    },
    { holds: broken.length === 0, text: `${broken.length} posts lost, doubled or not ended` },
  ];
  sayFindings(findings);
  sayWrongs(broken.slice(0, MOST_PRINTED));
  return findings;
}

/** Every delivery of a publish job logs one line (src/jobs/runner.ts). */
function countLine(deliveries: Deliveries, line: string): void {
  const logged = readEvent(line);
  if (logged?.event !== "job" || !String(logged.key).startsWith("publish:")) return;
  deliveries.outcomes.push(String(logged.outcome));
  deliveries.lastAt = Date.now();
}

/** The first full minute by which all posts can be created. */
function dueMinute(posts: number): number {
  const earliest = Date.now() + 15_000 + (posts / CREATED_PER_SECOND) * 1000;
  return Math.ceil(earliest / 60_000) * 60_000;
}

await runCommand(USAGE, backlog);
