import { HANDLES, PAGES } from "../test/support/person.ts";
import { type Api, type Channel, createApi, createSurely } from "./support/api.ts";
import { readArguments, readWhole, runCommand, type Scope } from "./support/command.ts";
import { waitFor } from "./support/http.ts";
import { readEvent } from "./support/logs.ts";
import { byText, judge, OUTCOMES, type Plan } from "./support/post-outcome.ts";
import { bold, clock, dim, elapsed, mark, say, seconds, table } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { bootWorld, connectAccounts, type World } from "./support/world.ts";

const MOST_DELIVERIES = 1.05;
const CONNECTIONS = 16;
const TOKENS = 6;
/** The approximate rate of post creation, which determines the minute for which all are scheduled. */
const CREATED_PER_SECOND = 60;
const END_MS = 20 * 60_000;
/** Without a delivery for this long, the queue is empty: a retry of a message comes sooner. */
const QUIET_MS = 70_000;
const SHOW_EVERY_MS = 15_000;

const USAGE = `npm run backlog -- [--posts N] [--small N] [--seed N]

Schedules N posts (6000) of two projects, one of them small (60 posts), for one and the same minute, and counts the deliveries
until all have ended. At most twenty minutes; exit 0 only if every post is live exactly once, and there were no more than
${MOST_DELIVERIES} deliveries a post.`;

interface Run {
  readonly since: number;
  readonly posts: number;
  readonly small: number;
  readonly seed: number;
  readonly deliveries: Deliveries;
  sweepErrors: number;
  dueAt: number;
  allEndedAt: number | null;
}
interface Deliveries {
  total: number;
  lastAt: number;
  readonly outcomes: Map<string, number>;
}
interface Project {
  readonly name: string;
  readonly count: number;
  /** Several tokens, because each has 100 requests per second. */
  readonly apis: readonly [Api, ...Api[]];
  readonly channels: readonly Channel[];
  readonly plans: BacklogPlan[];
}
interface BacklogPlan extends Plan {
  readonly id: number;
}

async function backlog(scope: Scope): Promise<number> {
  const options = readArguments({
    posts: { type: "string", default: "6000" },
    small: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  });
  const posts = readWhole("posts", options.posts, 20_000);
  const run: Run = {
    since: Date.now(),
    posts,
    small: readWhole("small", options.small, posts),
    seed: readWhole("seed", options.seed, 999_999),
    deliveries: { total: 0, lastAt: Date.now(), outcomes: new Map() },
    sweepErrors: 0,
    dueAt: 0,
    allEndedAt: null,
  };
  say(`${bold("Belfry backlog")}: ${run.posts} posts, ${run.small} of them a small project's, seed ${run.seed}`);

  const onLine = (line: string) => countLine(run.deliveries, line);
  const world = await bootWorld(scope, { variables: { LOG_LEVEL: "all" }, logLevel: "log", onLine });
  // Raises the platforms' rate limits: the test measures our delivery.
  await world.control.settings({ facebook_calls_per_hour: 100_000_000, twitter_rate_limit_scale: 1000 });
  const projects = [
    await bootProject(world, "Large", run.posts - run.small, [PAGES.fern, PAGES.harbour, HANDLES.bikes]),
    await bootProject(world, "Small", run.small, [PAGES.bikes, HANDLES.harbour]),
  ];
  scope.defer(startCron(world.service.origin, (message) => scope.isEnding || noteSweep(run, message)));

  run.dueAt = dueMinute(run.posts);
  say(dim(`${elapsed(run.since)}  creating; all are due at ${clock(new Date(run.dueAt))}`));
  // The small project is last: a first-come, first-served queue would make it wait for all others.
  for (const project of projects) await createAll(project, run);
  const late = Date.now() - run.dueAt;
  say(dim(`${elapsed(run.since)}  created${late > 0 ? `, the last ${Math.ceil(late / 1000)} s after its time` : ""}`));
  await settle(projects, run);
  return report(world, projects, run);
}

/** Creates a project with channels on both platforms. */
async function bootProject(world: World, name: string, count: number, accounts: readonly string[]): Promise<Project> {
  const newApi = async () =>
    createApi(world.service.origin, (await world.operator.issueToken({ project: name })).token);
  const first = await newApi();
  const apis: [Api, ...Api[]] = [first];
  while (apis.length < TOKENS) apis.push(await newApi());
  await connectAccounts(first, { platforms: ["facebook", "twitter"], accounts });
  return { name, count, apis, channels: await first.listChannels(), plans: [] };
}

async function createAll(project: Project, run: Run): Promise<void> {
  const [day, time = ""] = new Date(run.dueAt).toISOString().split("T");
  const schedule = {
    publish_mode: "scheduled",
    schedule_time: `${day} ${time.slice(0, 5)}`,
    time_zone: "UTC",
  } as const;
  let next = 0;
  const worker = async () => {
    while (next < project.count) {
      const at = next++;
      const channel = project.channels[at % project.channels.length];
      const api = project.apis[at % project.apis.length];
      if (!channel || !api) throw new Error(`${project.name} has no channel.`);
      const text = `Backlog ${run.seed}, ${project.name.toLowerCase()} bell ${String(at + 1).padStart(5, "0")}.`;
      const body = {
        channel_type: channel.channel_type,
        channel_id: channel.channel_id,
        post_type: channel.channel_type === "twitter" ? "tweet" : "post",
        caption_text: text,
        media_urls: [],
        ...schedule,
      };
      const id = await createSurely(api, body, `backlog-${run.seed}-${at}`, () => isOver(run));
      project.plans.push({ id, items: [{ text }] });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** Waits until every post has finished and no deliveries follow, or the time limit is reached. */
async function settle(projects: readonly Project[], run: Run): Promise<void> {
  let shownAt = 0;
  await waitFor(
    async () => {
      const ended: boolean[] = [];
      for (const { apis, count } of projects) ended.push((await countEnded(apis[0])) === count);
      if (!run.allEndedAt && ended.every(Boolean)) {
        run.allEndedAt = Date.now();
        say(dim(`${elapsed(run.since)}  all ended; listening for deliveries that come after`));
      }
      if (!run.allEndedAt && Date.now() - shownAt >= SHOW_EVERY_MS && Date.now() > run.dueAt) {
        shownAt = Date.now();
        await showProgress(projects, run);
      }
      const isQuiet = Date.now() - run.deliveries.lastAt >= QUIET_MS;
      return isOver(run) || (ended.every(Boolean) && isQuiet);
    },
    { timeoutMs: END_MS, everyMs: 1000 },
  );
}

async function showProgress(projects: readonly Project[], run: Run): Promise<void> {
  const parts: string[] = [];
  for (const { name, apis, count } of projects)
    parts.push(`${name.toLowerCase()} ${await countEnded(apis[0])}/${count}`);
  say(dim(`${elapsed(run.since)}  ended: ${parts.join(", ")}; ${run.deliveries.total} deliveries`));
}

const CHANNELS = "channels=facebook,twitter";
const countEnded = async (api: Api) => (await api.listPosts(`${CHANNELS}&status=published,failed&limit=1`)).total;

async function report(world: World, projects: readonly Project[], run: Run): Promise<number> {
  const live = byText(await world.control.posts());
  const rows: (string | number)[][] = [];
  const broken: string[] = [];
  for (const { name, count, apis, plans } of projects) {
    const posts = await apis[0].listAllPosts(CHANNELS);
    const judged = plans.map((plan) => ({ plan, post: posts.get(plan.id), ...judge(plan, posts.get(plan.id), live) }));
    for (const { plan, post, verdict } of judged) {
      if (verdict !== OUTCOMES.once)
        broken.push(`post ${plan.id}: ${verdict.means}${post?.error ? `: ${post.error}` : ""}`);
    }
    const items = judged.flatMap((each) => each.live);
    const published = [...posts.values()].filter(({ STATUS }) => STATUS === "published").length;
    const times = items.map(({ created_at: at }) => Date.parse(at) - run.dueAt).sort((a, b) => a - b);
    const moments = [times.at(0), times.at(times.length >> 1), times.at(-1)];
    const shown = moments.map((ms) => (ms === undefined ? "never" : seconds(ms)));
    rows.push([name, count, published, items.length, ...shown]);
  }
  say();
  say(table(["PROJECT", "POSTS", "PUBLISHED", "LIVE", "FIRST LIVE", "MEDIAN", "LAST LIVE"], rows, [1, 2, 3, 4, 5, 6]));
  const { total, outcomes } = run.deliveries;
  const each = total / run.posts;
  const isLean = each <= MOST_DELIVERIES;
  const kinds = Array.from(outcomes, ([outcome, count]) => `${count} ${outcome}`).join(", ");
  say(`\n  ${mark(isLean)} ${total} deliveries, ${each.toFixed(3)} a post (≤ ${MOST_DELIVERIES}): ${kinds}`);
  say(`  ${mark(broken.length === 0)} ${broken.length} posts lost, doubled or not ended`);
  for (const sentence of broken.slice(0, 10)) say(`      ${sentence}`);
  const took = run.allEndedAt ? `all ended ${seconds(run.allEndedAt - run.dueAt)} after their time` : "not all ended";
  say(dim(`\n  ${took}; ${run.sweepErrors} sweeps failed; ${elapsed(run.since)} in all.`));
  return isLean && broken.length === 0 ? 0 : 1;
}

/** Every delivery of a publish job logs one line (src/jobs/runner.ts). */
function countLine(deliveries: Deliveries, line: string): void {
  const logged = readEvent(line);
  if (logged?.event !== "job" || !String(logged.key).startsWith("publish:")) return;
  const kind = String(logged.outcome);
  deliveries.total++;
  deliveries.outcomes.set(kind, (deliveries.outcomes.get(kind) ?? 0) + 1);
  deliveries.lastAt = Date.now();
}

function noteSweep(run: Run, message: string): void {
  run.sweepErrors++;
  say(dim(`${elapsed(run.since)}  cron: ${message}`));
}

/** The first full minute by which all posts can be created. */
function dueMinute(posts: number): number {
  const earliest = Date.now() + 15_000 + (posts / CREATED_PER_SECOND) * 1000;
  return Math.ceil(earliest / 60_000) * 60_000;
}

const isOver = (run: Run) => Date.now() - run.since > END_MS;

await runCommand(USAGE, backlog);
