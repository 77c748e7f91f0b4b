import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../test/support/control.ts";
import { seededRandom } from "../test/support/random.ts";
import { createSurely, type Post } from "./support/api.ts";
import { Refusal, readArguments, readSeed, readWhole, runCommand, runPart, type Scope } from "./support/command.ts";
import { knownPlatforms } from "./support/kinds.ts";
import { byText, type Judged, judge, OUTCOMES } from "./support/post-outcome.ts";
import { soakBoosts } from "./support/soak-boosts.ts";
import { soakComments } from "./support/soak-comments.ts";
import { soakGenerations } from "./support/soak-generations.ts";
import { faultsOf, planPosts, type SoakPlan } from "./support/soak-plan.ts";
import { bold, clock, dim, elapsed, green, mark, red, say, table, yellow } from "./support/terminal.ts";
import { fireOften, killOften, type Spell, shuffled, spoilCalls } from "./support/trouble.ts";
import { runVitest } from "./support/vitest.ts";
import { bootWorld, connectAll, REALISMS, type Realism, type World } from "./support/world.ts";

const POSTS = 200;
const MOST_POSTS = 500;
const COMMENTS = 500;
const MOST_COMMENTS = 2000;
const GENERATIONS = 100;
const BOOSTS = 36;
const MOST_BOOSTS = 300;
const ACCOUNTS_EACH = 2;
const KILLS = 14;
/** The last time at which the service is killed. */
const KILLS_UNTIL_MS = 125_000;
/** All faults start within this time. */
const SPOIL_WITHIN_MS = 120_000;
const ASKED_AT_ONCE = 80;
/** All posts are created within this time, while the service is repeatedly killed. */
const CREATE_WITHIN_MS = 90_000;
/**
 * Two hundred posts finish within ten minutes. A platform that throttles without a wait time is not called
 * for three minutes.
 */
const END_MS = 360_000;
const END_MS_A_POST = 1000;
/** Shorter than in production, so that leases of a killed process expire within this run. */
const variablesFor = (posts: number) => ({
  JOB_LEASE_SECONDS: "35",
  PUBLISH_DEADLINE_SECONDS: String(320 + posts),
  LIST_LAG_SECONDS: "20",
  PACE_FACTOR: "5",
});

const USAGE = `npm run soak -- [--seed N] [--posts N] [--comments N] [--boosts N] [--only posts | comments | generations | boosts]
                      [--realism calm | production] | --contract [--realism …]

Publishes ${POSTS} posts (--posts: up to ${MOST_POSTS}) on all platforms while the service is killed (SIGKILL) ${KILLS} times and the platforms
misbehave, then compares what we say of each post with the platforms' own record. At most ten minutes for ${POSTS}.

Then bots answer ${COMMENTS} comments (--comments: up to ${MOST_COMMENTS}) on all platforms, in the same weather, and what each platform shows is
compared with what each bot was to answer, and says it has. At most ten minutes for ${COMMENTS}.

Then ${GENERATIONS} posts are generated while the service is killed and its models misbehave. At most ten minutes.

Then posts are boosted ${BOOSTS} times (--boosts: up to ${MOST_BOOSTS}), campaigns and posts changed and deleted, in the same weather, and compared with the platforms' books.
A channel is disconnected while its login is over and connected again, and the others' campaigns come to their end. At most ten minutes for ${BOOSTS}.

Exit 0 only if every post is live exactly once, and every comment answered exactly once by each of its bots, or failed with a reason; and
each generation is done, or failed with a reason, with each model paid at most once, and told once;
and no boost runs twice, spends after it is shown as failed, deleted or completed, leaves anything then, or is shown with other spend than it has.

With --realism production the simulated platforms show all of their moods together (sandbox/README.md): lists that lag, posts that go live
late, races, development tiers, missing refresh tokens.

With --contract it runs the contract suite instead, all of its combinations where \`npm test\` takes samples: every shape, act and
fate of every platform. That takes as long as it takes.`;

interface Run extends Spell {
  readonly seed: number;
  readonly posts: number;
  readonly endsAt: number;
}
interface Created extends SoakPlan {
  readonly id: number;
}
interface Result extends Judged {
  readonly plan: Created;
  readonly post: Post;
}

async function soak(scope: Scope): Promise<number> {
  const options = readArguments({
    seed: { type: "string" },
    posts: { type: "string" },
    comments: { type: "string" },
    boosts: { type: "string" },
    only: { type: "string" },
    realism: { type: "string" },
    contract: { type: "boolean" },
  });
  if (options.contract && options.seed !== undefined)
    throw new Refusal("--contract takes no seed: it leaves nothing out.");
  const realism = REALISMS.find((one) => one === (options.realism ?? "calm"));
  if (!realism) throw new Refusal(`--realism must be ${REALISMS.join(" or ")}, not "${options.realism}".`);
  if (options.contract) return runContract(scope, realism);
  const { only } = options;
  if (only !== undefined && !PARTS.includes(only))
    throw new Refusal(`--only must be posts, comments, generations or boosts, not "${only}".`);
  const seed = readSeed(options.seed);
  const posts = options.posts === undefined ? POSTS : readWhole("posts", options.posts, MOST_POSTS);
  const comments = options.comments === undefined ? COMMENTS : readWhole("comments", options.comments, MOST_COMMENTS);
  const boosts = options.boosts === undefined ? BOOSTS : readWhole("boosts", options.boosts, MOST_BOOSTS);
  const parts = {
    posts: (part: Scope) => soakPosts(part, { seed, posts, realism }),
    comments: (part: Scope) => soakComments(part, seed, comments, realism),
    generations: (part: Scope) => soakGenerations(part, seed, GENERATIONS, realism),
    boosts: (part: Scope) => soakBoosts(part, seed, boosts, realism),
  };
  let worst = 0;
  for (const [name, run] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    worst = Math.max(worst, await runPart(scope, run));
  }
  return worst;
}

const PARTS = ["posts", "comments", "generations", "boosts"];

interface PostsOptions {
  readonly seed: number;
  readonly posts: number;
  readonly realism: Realism;
}

async function soakPosts(scope: Scope, { seed, posts, realism }: PostsOptions): Promise<number> {
  const since = Date.now();
  const run: Run = { since, seed, posts, endsAt: since + END_MS + posts * END_MS_A_POST, isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const random = seededRandom(run.seed);
  say(
    `${bold("Belfry soak")}: ${posts} posts, ${KILLS} kills, seed ${run.seed}${realism === "calm" ? "" : `, ${realism}`}`,
  );

  const world = await bootWorld(scope, { variables: variablesFor(posts), realism });
  const known = knownPlatforms();
  const names = known.map(({ name }) => name);
  await connectAll(world, names, ACCOUNTS_EACH);
  // The platforms limit each account's activity, and the run uses few accounts.
  for (const { facts } of known) await world.control.settings({ ...facts.roomy, ...facts.busy });
  const plans = planPosts(posts, known, await world.api.listChannels(), world.control.media, run.seed);
  const faults = shuffled(
    known.flatMap((platform) => faultsOf(platform, realism)),
    random,
  );
  say(dim(`${elapsed(since)}  ${names.join(", ")}; ${faults.length} kinds of trouble`));
  const cron = fireOften(world, run);
  const [kills, created] = await Promise.all([
    killOften(world, run, random, { most: KILLS, untilMs: KILLS_UNTIL_MS }),
    createAll(world, run, plans),
    spoilCalls(world, run, faults, SPOIL_WITHIN_MS),
  ]);
  say(dim(`${elapsed(run.since)}  ${kills} kills; waiting until every post has ended …`));
  await settle(world, run, created);
  run.isOver = true;
  await cron;
  return report(world, run, created, { kills, faults });
}

/** The suite reads the variable (test/contract/sample.ts); without it, it runs samples. */
async function runContract(scope: Scope, realism: Realism): Promise<number> {
  const since = Date.now();
  say(`${bold("Belfry soak")}: the whole product of the contract suite`);
  const { code, tally } = await runVitest(scope, ["test/contract"], { CONTRACT: "all", REALISM: realism });
  const verdict = code === 0 ? green("The contract holds") : red("The contract is broken");
  say(`${verdict}: ${tally ?? "it did not come to its end"}; ${elapsed(since).trim()}.`);
  return code;
}

async function createAll(world: World, run: Run, plans: readonly SoakPlan[]): Promise<readonly Created[]> {
  const created: Created[] = [];
  const isOver = () => run.isOver || Date.now() > run.endsAt;
  for (const plan of plans) {
    created.push({ ...plan, id: await createSurely(world.api, plan.body, plan.key, isOver) });
    await sleep(CREATE_WITHIN_MS / run.posts);
  }
  return created;
}

async function settle(world: World, run: Run, plans: readonly Created[]): Promise<void> {
  while (Date.now() < run.endsAt) {
    const posts = await readPosts(world, plans);
    const open = posts.filter(({ STATUS }) => STATUS !== "published" && STATUS !== "failed").length;
    if (open === 0) return;
    await sleep(2000);
  }
}

function readPosts(world: World, plans: readonly Created[]): Promise<Post[]> {
  return askAll(plans, ({ id }) => world.api.findPost(id));
}

/** Reads each item, within a token's rate limit. */
async function askAll<T>(plans: readonly Created[], ask: (plan: Created) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let start = 0; start < plans.length; start += ASKED_AT_ONCE) {
    if (start > 0) await sleep(1100);
    answers.push(...(await Promise.all(plans.slice(start, start + ASKED_AT_ONCE).map(ask))));
  }
  return answers;
}

interface Trouble {
  readonly kills: number;
  readonly faults: readonly Fault[];
}

async function report(world: World, run: Run, plans: readonly Created[], { kills, faults }: Trouble): Promise<number> {
  await sleep(1100);
  const [posts, live] = await Promise.all([readPosts(world, plans), world.control.posts()]);
  const found = byText(live);
  const results = posts.flatMap((post): Result[] => {
    const plan = plans.find(({ id }) => id === post.post_id);
    return plan ? [{ plan, post, ...judge(plan, post, found) }] : [];
  });
  say();
  say(tallyByKind(results));
  say();
  for (const verdict of Object.values(OUTCOMES)) {
    const count = results.filter((result) => result.verdict === verdict).length;
    if (count > 0) say(`  ${mark(verdict.holds)} ${String(count).padStart(3)}  ${verdict.means}`);
  }
  const known = new Set(plans.flatMap(({ items }) => items.map(({ text }) => text)));
  const strangers = live.filter(({ text }) => !known.has(text)).length;
  if (strangers > 0) say(`  ${mark(false)} ${String(strangers).padStart(3)}  live items that belong to no post`);
  await sleep(1100);
  await tellTrouble(world, plans, faults);
  for (const result of results.filter(({ verdict }) => verdict !== OUTCOMES.once)) {
    await explain(world, result);
    // Stays within a token's rate limit.
    await sleep(20);
  }

  const broken = results.filter(({ verdict }) => !verdict.holds).length + strangers;
  const facts = `${kills} kills, ${faults.length} kinds of faults, ${live.length} live items, seed ${run.seed}, ${elapsed(run.since)}`;
  say(`\n${broken === 0 ? green("The promise holds") : red("The promise is broken")}: ${facts}.`);
  return broken === 0 ? 0 : 1;
}

/** Prints how many faults affected the posts: a soak without any proves nothing. */
async function tellTrouble(world: World, plans: readonly Created[], faults: readonly Fault[]): Promise<void> {
  const timelines = await askAll(plans, ({ id }) => world.api.listEvents(id));
  const isTrouble = ({ type }: { readonly type: string }) =>
    !["post.created", "post.processing", "post.published", "post.failed"].includes(type);
  const troubled = timelines.filter((events) => events.some(isTrouble)).length;
  const unmet = (await world.control.faults()).reduce((sum, { times }) => sum + times, 0);
  const planned = faults.reduce((sum, { times }) => sum + times, 0);
  say(dim(`\n  ${troubled} posts were held up on their way; ${planned - unmet} of ${planned} spoilt calls were met.`));
}

function tallyByKind(results: readonly Result[]): string {
  const rows = [...Map.groupBy(results, ({ plan }) => plan.label)].map(([label, own]) => {
    const inState = (state: string) => own.filter(({ post }) => post.STATUS === state);
    const published = inState("published");
    const expected = published.reduce((total, { plan }) => total + plan.items.length, 0);
    const live = own.reduce((total, result) => total + result.live.length, 0);
    return [label, own.length, published.length, inState("failed").length, expected, live];
  });
  const header = ["KIND", "POSTS", "PUBLISHED", "FAILED", "ITEMS PUBLISHED", "ITEMS LIVE"];
  return table(
    header,
    rows.sort(([a], [b]) => String(a).localeCompare(String(b))),
    [1, 2, 3, 4, 5],
  );
}

/** Prints the reason for each post that is not published; for a broken promise, the whole timeline. */
async function explain(world: World, { plan, post, verdict, live }: Result): Promise<void> {
  const paint = verdict.holds ? yellow : red;
  const { length: items } = plan.items;
  say(`\n  ${paint(`Post ${post.post_id}`)} (${plan.label}): ${verdict.means}; ${live.length} of ${items} live`);
  say(`    ${post.STATUS}: ${post.error ?? "no reason"}`);
  if (verdict.holds) return;
  for (const event of await world.api.listEvents(post.post_id)) {
    say(`    ${dim(clock(new Date(event.created_at)))}  ${event.type.padEnd(18)} ${event.message}`);
  }
}

await runCommand(USAGE, soak);
