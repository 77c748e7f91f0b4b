import { partsOf } from "../../src/core/parts.ts";
import { createSurely } from "./api.ts";
import type { Scope } from "./command.ts";
import { atOnce, type Finding, note, type Run, startRun } from "./driver.ts";
import { advance, ENTRY, type Home, type Meter, type Stats, WAVE, WAVE_MS } from "./fast-clock.ts";
import { waitFor } from "./http.ts";
import { knownPlatforms } from "./kinds.ts";
import { judgeAll, OUTCOMES, type Result } from "./post-outcome.ts";
import {
  DAY_MINUTES,
  MINUTE_MS,
  type ProjectPlan,
  planProjects,
  planScale,
  type ScaleOptions,
  type ScalePost,
} from "./scale-plan.ts";
import { inTurn } from "./soak-plan.ts";
import { createProject, type Project } from "./world.ts";

/**
 * One run of `npm run scale`: the service under a fast clock (test/support/fast-worker.ts) publishes the
 * posts of many projects in several databases, whose bots answer comments.
 */

/** The allowances of platforms are lifted there and here: this run measures our own limits. */
const VARIABLES = { PACE_FACTOR: "1000" };
const CONNECTIONS = 8;
const STEP_MINUTES = 60;
const MOST_LATE_MS = MINUTE_MS;
const WEBHOOKS_MS = 10 * MINUTE_MS;
/** Between two notes of a long run. */
const NOTED_MS = 5 * MINUTE_MS;
/** Comments are found at the next poll: six hours later at most. */
const ANSWER_HOURS = 8;
const ANSWER = "Thank you for asking!";

export interface ScaleRun {
  readonly run: Run;
  readonly findings: readonly Finding[];
  /** What was used from the first post on. */
  readonly used: Stats;
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly mostLateMs: number;
  readonly answers: number;
}

interface Created extends ScalePost {
  readonly id: number;
}

export async function runScale(scope: Scope, options: ScaleOptions): Promise<ScaleRun> {
  const { posts, projects, databases, days, seed } = options;
  const title = `scale: ${posts} posts of ${projects} projects in ${databases} databases, ${days} days`;
  const run = await startRun(scope, { title, seed, databases, entry: ENTRY, variables: VARIABLES });
  const { control } = run.world;
  const known = knownPlatforms();
  for (const { facts } of known) await control.settings({ ...facts.roomy, ...facts.busy, ...facts.prompt });
  // Bots answer with one text, which X takes once in this time.
  await control.settings({ twitter_duplicate_window_ms: 0 });
  const plans = planProjects(options, known);
  const homes = await atOnce(CONNECTIONS, plans, (plan) => connect(run, plan));
  note(run, `${projects} projects connected`);
  const first = await advance(run.world, null);
  const beginAt = Math.ceil(first.now / MINUTE_MS) * MINUTE_MS;
  const planned = planScale(options, homes, { random: run.random, media: control.media, beginAt });
  const created: Created[] = [];
  const asked = new Map<string, string>();
  const byMinute = Map.groupBy(planned, ({ createdAt }) => createdAt);
  let day = 0;
  let notedAt = Date.now();
  for (let minute = 0; minute <= days * DAY_MINUTES; minute++) {
    const now = byMinute.get(minute) ?? [];
    if (now.length === 0 && minute % STEP_MINUTES > 0) continue;
    const instant = beginAt + minute * MINUTE_MS;
    await advance(run.world, instant);
    for (const [wave, posts] of partsOf(now, WAVE).entries()) {
      if (wave > 0) await advance(run.world, instant + wave * WAVE_MS);
      created.push(...(await create(run, homes, posts)));
    }
    const isDay = minute === (day + 1) * DAY_MINUTES;
    if (isDay || Date.now() - notedAt > NOTED_MS) {
      note(run, `day ${(minute / DAY_MINUTES).toFixed(isDay ? 0 : 2)}: ${created.length} posts created`);
      notedAt = Date.now();
    }
    if (!isDay) continue;
    day++;
    await comment(run, created, asked);
  }
  for (let hour = 1; hour <= ANSWER_HOURS && (await countAnswered(run, asked)) < asked.size; hour++) {
    await advance(run.world, beginAt + (days * DAY_MINUTES + hour * STEP_MINUTES) * MINUTE_MS);
  }
  const used = since(first, await advance(run.world, null));
  note(run, "reading what is live");
  return { run, used, ...(await judge(run, homes, created, { asked, beginAt })) };
}

interface ConnectedProject extends ProjectPlan, Project {
  readonly name: string;
}

async function connect({ world }: Run, plan: ProjectPlan): Promise<ConnectedProject> {
  const platforms = plan.platforms.flatMap(({ name, logins }) => (plan.isWatched ? logins : [name]));
  const project = await createProject(world, plan.name, { platforms });
  const [first] = plan.platforms;
  const watched = project.channels.filter(({ channel_type: type }) => type === first?.name);
  if (plan.isWatched) {
    await project.apis[0].createAutomation({
      name: "A bot",
      channels: watched.map(({ channel_id }) => channel_id),
      trigger_type: "any",
      response_type: "comment",
      comment_reply: ANSWER,
      ai_enable: "no",
    });
  }
  return { ...plan, ...project };
}

const create = ({ seed }: Run, homes: readonly Project[], posts: readonly ScalePost[]): Promise<Created[]> =>
  atOnce(CONNECTIONS, posts, async (post) => {
    const { apis } = inTurn(homes, post.project);
    const key = `scale-${seed}-${post.items[0]?.text}`;
    return { ...post, id: await createSurely(apis[0], post.body, key) };
  });

/** Writes one comment on each watched post that has none yet, and waits until the platforms have sent it. */
async function comment({ world: { control } }: Run, created: readonly Created[], asked: Map<string, string>) {
  const watched = new Set(created.filter(({ isWatched }) => isWatched).map(({ items }) => items[0]?.text));
  for (const { platform, id, text } of await control.posts()) {
    if (!watched.has(text) || asked.has(text)) continue;
    asked.set(text, await control.comment(platform, id, `May I ask about this? ${text}`, "Ada Reader"));
  }
  await waitFor(async () => (await control.webhooks("waiting")).length === 0, { timeoutMs: WEBHOOKS_MS });
}

/** The comments with one answer. */
async function countAnswered({ world: { control } }: Run, asked: ReadonlyMap<string, string>): Promise<number> {
  const replies = Map.groupBy(await control.comments(), ({ reply_to }) => reply_to ?? "");
  return [...asked.values()].filter((id) => replies.get(id)?.length === 1).length;
}

const minus = (last: Meter, first: Meter): Meter => ({
  d1Calls: last.d1Calls - first.d1Calls,
  d1RowsRead: last.d1RowsRead - first.d1RowsRead,
  d1RowsWritten: last.d1RowsWritten - first.d1RowsWritten,
});

function since(first: Stats, last: Stats): Stats {
  const databases = last.databases.map((home, at): Home => {
    const before = inTurn(first.databases, at);
    const meters = {
      requests: minus(home.meters.requests, before.meters.requests),
      jobs: minus(home.meters.jobs, before.meters.jobs),
      tasks: minus(home.meters.tasks, before.meters.tasks),
      sweeps: minus(home.meters.sweeps, before.meters.sweeps),
    };
    return { ...home, meters, bytes: home.bytes - before.bytes };
  });
  const messages = {
    jobs: last.messages.jobs - first.messages.jobs,
    tasks: last.messages.tasks - first.messages.tasks,
  };
  return { ...last, requests: last.requests - first.requests, messages, databases };
}

interface Asked {
  /** The comment on a post, by the text of the post. */
  readonly asked: ReadonlyMap<string, string>;
  readonly beginAt: number;
}

async function judge(run: Run, homes: readonly Project[], created: readonly Created[], { asked, beginAt }: Asked) {
  const { control } = run.world;
  const names = knownPlatforms().map(({ name }) => name);
  const live = await control.posts();
  const found = await atOnce(CONNECTIONS, homes, ({ apis }) => apis[0].listAllPosts(`channel_type=${names.join(",")}`));
  const posts = new Map(found.flatMap((own) => [...own]));
  const results = judgeAll(created, posts, live);
  const timed = results.flatMap(({ plan, live: [first] }) =>
    first ? [{ plan, lateMs: Date.parse(first.created_at) - beginAt - plan.dueAt * MINUTE_MS }] : [],
  );
  const mostLateMs = timed.reduce((most, { lateMs }) => Math.max(most, lateMs), 0);
  const late = timed.filter(({ lateMs }) => lateMs > MOST_LATE_MS);
  const early = timed.filter(({ lateMs }) => lateMs < 0).length;
  const doubled = results.filter(({ verdict }) => verdict === OUTCOMES.twice).length;
  const once = results.filter(({ verdict }) => verdict === OUTCOMES.once).length;
  const lost = results.length - once - doubled;
  const answers = await countAnswered(run, asked);
  const findings: Finding[] = [
    { holds: lost === 0, text: `${lost} of ${results.length} posts are lost${ofEach(reasonsOf(results))}` },
    { holds: doubled === 0, text: `${doubled} are live more than once` },
    {
      holds: late.length === 0,
      text: `${late.length} are live more than a minute after their time, the latest ${Math.ceil(mostLateMs / 1000)} s${ofEach(late.map(({ plan }) => plan.body.channel_type))}`,
    },
    { holds: early === 0, text: `${early} are live before their time` },
    { holds: answers === asked.size, text: `${answers} of ${asked.size} comments have one answer of a bot` },
  ];
  return { findings, lost, doubled, late: late.length, mostLateMs, answers };
}

/** Why posts are not published. */
const reasonsOf = (results: readonly Result<Created>[]): readonly string[] =>
  results
    .filter(({ verdict }) => verdict !== OUTCOMES.once && verdict !== OUTCOMES.twice)
    .map(
      ({ plan, post, verdict }) => `${plan.body.channel_type} ${plan.body.post_type}: ${post?.error ?? verdict.means}`,
    );

const MOST_NAMED = 5;

/** How often each is among them, the most frequent first. */
function ofEach(all: readonly string[]): string {
  const counted = [...Map.groupBy(all, (one) => one)].sort(([, a], [, b]) => b.length - a.length);
  return counted
    .slice(0, MOST_NAMED)
    .map(([one, same]) => `; ${same.length} ${one}`)
    .join("");
}
