import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { LivePost } from "../../test/support/control.ts";
import { type Api, createSurely, surely } from "./api.ts";
import type { Scope } from "./command.ts";
import {
  atOnce,
  conclude,
  countBroken,
  type Finding,
  fireCronOften,
  injectFaults,
  isEnded,
  killOften,
  note,
  type Run,
  type SoakOptions,
  sayFindings,
  sayMetFaults,
  shuffled,
  startRun,
  untilRest,
} from "./driver.ts";
import { knownPlatforms } from "./kinds.ts";
import { judgeAll, OUTCOMES, type Result } from "./post-outcome.ts";
import { connectHomes, type Home, moveInTheMiddle } from "./soak-homes.ts";
import { FITTED, faultsOf, planPosts, type SoakPlan } from "./soak-plan.ts";
import { dim, eventLine, red, say, table, yellow } from "./terminal.ts";

/** The posts of `npm run soak` and `npm run proof`: published, then compared with what is live. */

const KILLS = { most: 14, withinMs: 110_000 };
const FAULTS_WITHIN_MS = 120_000;
/** All posts are created within this time, while the service is repeatedly killed. */
const CREATE_WITHIN_MS = 90_000;
/**
 * Two hundred posts finish within ten minutes. A platform that throttles without a wait time is not called
 * for three minutes.
 */
const timeFor = (posts: number, databases: number) => 360_000 + posts * 1000 + (databases > 1 ? MOVE_MS : 0);
/** A project that is moved is not served meanwhile. */
const MOVE_MS = 240_000;
/** Shorter than in production, so that leases of a killed process expire within this run. */
const variablesFor = (posts: number, databases: number) => ({
  JOB_LEASE_SECONDS: "35",
  PUBLISH_DEADLINE_SECONDS: String(timeFor(posts, databases) / 1000 - 40),
  TASK_CLAIM_SECONDS: "60",
  LIST_LAG_SECONDS: "20",
  PACE_FACTOR: "5",
});

interface Created extends SoakPlan {
  readonly id: number;
  /** Of its project. */
  readonly api: Api;
}

/** What became of the posts of one run. */
export interface PostsRun {
  readonly run: Run;
  readonly results: readonly Result<SoakPlan>[];
  readonly findings: readonly Finding[];
  /** Live items that belong to no post. */
  readonly strangers: number;
  readonly kills: number;
  readonly faults: { readonly injected: number; readonly met: number };
}

export async function soakPosts(scope: Scope, options: SoakOptions): Promise<number> {
  const { run, results, findings, kills, faults } = await publishUnderFaults(scope, "soak", options);
  const live = results.reduce((sum, result) => sum + result.live.length, 0);
  return conclude(run, countBroken(findings), `${kills} kills, ${faults.met} faults, ${live} live items`);
}

/** Publishes posts while the service is killed and the platforms return faults, and judges each of them. */
export async function publishUnderFaults(
  scope: Scope,
  command: string,
  { seed, count, realism, databases = 1 }: SoakOptions,
): Promise<PostsRun> {
  const title = `${command}: ${count} posts${databases === 1 ? "" : ` in ${databases} databases`}`;
  const run = await startRun(scope, { title, seed, realism, databases, variables: variablesFor(count, databases) });
  const { control } = run.world;
  const known = knownPlatforms();
  const names = known.map(({ name }) => name);
  const homes = await connectHomes(run, names, databases);
  // The platforms limit each account's activity, and the run uses few accounts.
  for (const { facts } of known) await control.settings({ ...facts.roomy, ...facts.busy });
  const plans = planPosts(
    run,
    count,
    known,
    homes.flatMap(({ channels }) => channels),
  );
  const faults = shuffled(
    known.flatMap((platform) => faultsOf(platform, realism)),
    run.random,
  );
  note(run, `${names.join(", ")}; ${faults.length} kinds of faults`);
  fireCronOften(run);
  const endsAt = Date.now() + timeFor(count, databases);
  const isOver = () => scope.isEnding || Date.now() > endsAt;
  const [kills, created, moved] = await Promise.all([
    killOften(run, KILLS),
    createAll(homes, plans, isOver),
    databases === 1 ? [] : moveInTheMiddle(run, databases - 1, isOver),
    injectFaults(run, faults, FAULTS_WITHIN_MS),
  ]);
  const readPosts = async () => {
    const found = homes.map(({ api }) => surely(() => api.listAllPosts(`channel_type=${names.join(",")}`)));
    return new Map((await Promise.all(found)).flatMap((own) => [...own]));
  };
  await untilRest(run, { until: "every post has ended", everyMs: 2000, timeoutMs: endsAt - Date.now() }, async () => {
    const posts = await readPosts();
    return created.flatMap(({ id }) => (isEnded(posts.get(id)) ? [] : [id]));
  });

  const live = await control.posts();
  const results = judgeAll(created, await readPosts(), live);
  say(`\n${tallyByKind(results)}\n`);
  const strangers = countStrangers(results, live);
  const findings = [...findingsOf(results, strangers), ...moved, await copiesFinding(created)];
  sayFindings(findings);
  await sayDelayed(created);
  const met = await sayMetFaults(run, faults);
  for (const result of results) if (result.verdict !== OUTCOMES.once) await explain(result);
  return { run, results, findings, strangers, kills, faults: met };
}

/** Each project creates its own posts: one that is being moved does not delay the others. */
async function createAll(homes: readonly Home[], plans: readonly SoakPlan[], isOver: () => boolean) {
  const created = homes.map(async ({ api, channels }) => {
    const own = new Set(channels.map(({ channel_id: id }) => id));
    const posts: Created[] = [];
    for (const plan of plans.filter(({ body }) => own.has(body.channel_id))) {
      posts.push({ ...plan, api, id: await createSurely(api, plan.body, plan.key, isOver) });
      await sleep((CREATE_WITHIN_MS / plans.length) * homes.length);
    }
    return posts;
  });
  return (await Promise.all(created)).flat();
}

function tallyByKind(results: readonly Result<Created>[]): string {
  const rows = [...Map.groupBy(results, ({ plan }) => plan.label)].map(([label, own]) => {
    const inState = (state: string) => own.filter(({ post }) => post?.STATUS === state);
    const published = inState("published");
    const expected = published.reduce((total, { plan }) => total + plan.items.length, 0);
    const live = own.reduce((total, result) => total + result.live.length, 0);
    return [label, own.length, published.length, inState("failed").length, expected, live];
  });
  const header = ["KIND", "POSTS", "PUBLISHED", "FAILED", "ITEMS PUBLISHED", "ITEMS LIVE"];
  return table(
    header,
    rows.sort(([a], [b]) => String(a).localeCompare(String(b))),
  );
}

function countStrangers(results: readonly Result<Created>[], live: readonly LivePost[]): number {
  const known = new Set(results.flatMap(({ plan }) => plan.items.map(({ text }) => text)));
  return live.filter(({ text }) => !known.has(text)).length;
}

/** How often each outcome occurs, and whether anything else is live. */
function findingsOf(results: readonly Result<Created>[], strangers: number): readonly Finding[] {
  const outcomes = [...Map.groupBy(results, ({ verdict }) => verdict)].map(([{ holds, means }, own]) => {
    return { holds, text: `${String(own.length).padStart(3)}  ${means}` };
  });
  return [...outcomes, { holds: strangers === 0, text: `${String(strangers).padStart(3)}  live items of no post` }];
}

const Fitted = z.object({ file: z.object({ url: z.string(), copy_url: z.string(), mime: z.string() }) });

/** Each project has one copy of a file for a rule, in whichever posts it is. */
async function copiesFinding(created: readonly Created[]): Promise<Finding> {
  const withCopy = created.filter(({ body }) => body.media_urls?.some((url) => url.endsWith(FITTED)));
  const projects = [...new Set(created.map(({ api }) => api))];
  const names = new Map<string, Set<string>>();
  await atOnce(4, withCopy, async ({ id, api, body }) => {
    for (const { type, detail } of await surely(() => api.listEvents(id))) {
      const file = type === "post.fitted" ? Fitted.safeParse(detail).data?.file : undefined;
      if (!file) continue;
      const key = `${projects.indexOf(api)} ${body.channel_type} ${body.post_type} ${file.url}`;
      names.set(key, (names.get(key) ?? new Set()).add(file.copy_url));
    }
  });
  const most = Math.max(0, ...[...names.values()].map(({ size }) => size));
  const text = `${names.size} files made to fit in ${withCopy.length} posts, with ${most} copies of one at most`;
  return { holds: most <= 1, text };
}

/** The events of a post that is published or fails without a delay. */
const DIRECT = ["post.created", "post.processing", "post.fitted", "post.published", "post.failed"];

async function sayDelayed(created: readonly Created[]): Promise<void> {
  const timelines = await atOnce(4, created, ({ id, api }) => surely(() => api.listEvents(id)));
  const delayed = timelines.filter((events) => events.some(({ type }) => !DIRECT.includes(type)));
  say(dim(`\n  ${delayed.length} posts were delayed.`));
}

/** Prints the reason for each post that is not published; for a broken promise, the whole timeline. */
async function explain({ plan, post, verdict, live }: Result<Created>): Promise<void> {
  const paint = verdict.holds ? yellow : red;
  say(`\n  ${paint(`Post ${plan.id}`)} (${plan.label}): ${verdict.means}; ${live.length} of ${plan.items.length} live`);
  say(`    ${post?.STATUS}: ${post?.error ?? "no reason"}`);
  if (verdict.holds) return;
  for (const event of await surely(() => plan.api.listEvents(plan.id))) say(eventLine(event));
}
