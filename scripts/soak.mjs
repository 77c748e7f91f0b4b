import "./support/bootstrap.mjs";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "./support/api.mjs";
import { readArguments } from "./support/arguments.mjs";
import { Refusal, runCommand } from "./support/command.mjs";
import { connectAccounts } from "./support/connect.mjs";
import { fireCron } from "./support/cron.mjs";
import { seededRandom } from "./support/random.mjs";
import { FAULTS, planPosts } from "./support/soak-plan.mjs";
import { judge, VERDICTS } from "./support/soak-verdict.mjs";
import { bold, clock, dim, green, red, say, table, yellow } from "./support/terminal.mjs";
import { bootWorld } from "./support/world.mjs";

const POSTS = 50;
const KILLS = 14;
/** The service dies from here on no more, and all ends within five minutes. */
const KILLS_UNTIL_MS = 125_000;
const END_MS = 285_000;
const CRON_EVERY_MS = 4000;
const CREATE_EVERY_MS = 1800;
/** Shorter than in real life, so that what a dead process held is taken up within this run. */
const VARIABLES = { JOB_LEASE_SECONDS: "35", PUBLISH_DEADLINE_SECONDS: "150", LIST_LAG_SECONDS: "20" };

const USAGE = `npm run soak -- [--seed N]

Publishes ${POSTS} posts while the service is killed (SIGKILL) ${KILLS} times and the platforms misbehave, then compares what we say
of each post with the platforms' own record. At most five minutes; exit 0 only if every post is live exactly once, or failed
with a reason.`;

async function soak(scope) {
  const options = readArguments({ seed: { type: "string" }, help: { type: "boolean", short: "h" } });
  if (options.help) return say(USAGE);
  const run = { since: Date.now(), seed: readSeed(options.seed), isOver: false };
  scope.defer(() => {
    run.isOver = true;
  });
  const random = seededRandom(run.seed);
  say(`${bold("Belfry soak")}: ${POSTS} posts, ${KILLS} kills, seed ${run.seed}`);

  const world = await bootWorld(scope, { variables: VARIABLES });
  await connectAccounts(world.api, { platforms: ["facebook", "twitter"], facebookPages: 2 });
  const plans = planPosts(POSTS, await world.api.listChannels(), world.control, run.seed);
  const cron = fireOften(world, run);
  const [kills] = await Promise.all([
    killOften(world, run, random),
    createAll(world, run, plans),
    spoilCalls(world, run, random),
  ]);
  say(dim(`${elapsed(run)}  ${kills} kills; waiting until every post has ended …`));
  await settle(world, run, plans);
  run.isOver = true;
  await cron;
  return report(world, run, plans, kills);
}

/** SIGKILL to the service's whole process group, at moments of the seed's choosing, and a new start each time. */
async function killOften(world, run, random) {
  let kills = 0;
  while (kills < KILLS && Date.now() - run.since < KILLS_UNTIL_MS && !run.isOver) {
    await sleep(random.between(1500, 6000));
    if (run.isOver) break;
    await world.service.kill();
    kills++;
    say(dim(`${elapsed(run)}  killed (${kills})`));
    await world.restartService();
  }
  return kills;
}

/** Creates the posts as a client that knows what an Idempotency-Key is for: it repeats what got no answer. */
async function createAll(world, run, plans) {
  for (const plan of plans) {
    plan.id = await createSurely(world.api, run, plan);
    await sleep(CREATE_EVERY_MS);
  }
}

async function createSurely(api, run, plan) {
  for (;;) {
    try {
      return (await api.createPost(plan.body, plan.key)).post_id;
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500 && ![409, 429].includes(error.status);
      if (isFinal || run.isOver || Date.now() - run.since > END_MS) throw error;
      await sleep(400);
    }
  }
}

async function spoilCalls(world, run, random) {
  for (const fault of FAULTS) {
    await sleep(random.between(3000, 9000));
    if (run.isOver) return;
    await world.control.fault(fault);
    say(dim(`${elapsed(run)}  ${fault.platform}: ${fault.kind} on the next ${fault.times} ${fault.operation} calls`));
  }
}

async function fireOften(world, run) {
  while (!run.isOver) {
    // A dead service has no cron either.
    await fireCron(world.service.origin).catch(() => {});
    await sleep(CRON_EVERY_MS);
  }
}

async function settle(world, run, plans) {
  while (Date.now() - run.since < END_MS) {
    const posts = await readPosts(world, plans);
    const open = posts.filter(({ STATUS }) => STATUS !== "published" && STATUS !== "failed").length;
    if (open === 0) return;
    await sleep(2000);
  }
}

function readPosts(world, plans) {
  return Promise.all(plans.map(({ id }) => world.api.findPost(id)));
}

async function report(world, run, plans, kills) {
  const [posts, live] = await Promise.all([readPosts(world, plans), world.control.posts()]);
  const results = plans.map((plan, at) => ({ plan, post: posts[at], ...judge(plan, posts[at], live) }));
  say();
  say(tallyByKind(results));
  say();
  for (const [name, { holds, means }] of Object.entries(VERDICTS)) {
    const count = results.filter(({ verdict }) => verdict === name).length;
    if (count > 0) say(`  ${holds ? green("✓") : red("✗")} ${String(count).padStart(3)}  ${means}`);
  }
  const known = plans.flatMap(({ items }) => items.map(({ text }) => text));
  const strangers = live.filter((item) => !known.some((text) => item.text.includes(text)));
  if (strangers.length > 0)
    say(`  ${red("✗")} ${String(strangers.length).padStart(3)}  live items that belong to no post`);
  await tellTrouble(world, plans);
  for (const result of results.filter(({ verdict }) => verdict !== "once")) await explain(world, result);

  const broken = results.filter(({ verdict }) => !VERDICTS[verdict].holds).length + strangers.length;
  const facts = `${kills} kills, ${FAULTS.length} kinds of faults, ${live.length} live items, seed ${run.seed}, ${elapsed(run)}`;
  say(`\n${broken === 0 ? green("The promise holds") : red("The promise is broken")}: ${facts}.`);
  return broken === 0 ? 0 : 1;
}

/** How much of the trouble reached the posts: a soak that met nothing proves nothing. */
async function tellTrouble(world, plans) {
  const timelines = await Promise.all(plans.map(({ id }) => world.api.listEvents(id)));
  const isTrouble = ({ type }) => !["post.created", "post.processing", "post.published", "post.failed"].includes(type);
  const troubled = timelines.filter((events) => events.some(isTrouble)).length;
  const unmet = (await world.control.faults()).reduce((sum, { times }) => sum + times, 0);
  const planned = FAULTS.reduce((sum, { times }) => sum + times, 0);
  say(dim(`\n  ${troubled} posts were held up on their way; ${planned - unmet} of ${planned} spoilt calls were met.`));
}

function tallyByKind(results) {
  const labels = [...new Set(results.map(({ plan }) => plan.label))].sort();
  const sum = (list, value) => list.reduce((total, each) => total + value(each), 0);
  const rows = labels.map((label) => {
    const own = results.filter(({ plan }) => plan.label === label);
    const inState = (state) => own.filter(({ post }) => post.STATUS === state).length;
    const expected = sum(
      own.filter(({ post }) => post.STATUS === "published"),
      ({ plan }) => plan.items.length,
    );
    return [
      label,
      own.length,
      inState("published"),
      inState("failed"),
      expected,
      sum(own, ({ liveItems }) => liveItems),
    ];
  });
  return table(["KIND", "POSTS", "PUBLISHED", "FAILED", "ITEMS PUBLISHED", "ITEMS LIVE"], rows, [1, 2, 3, 4, 5]);
}

/** Whatever is not plainly published is told with its reason; a broken promise with its whole timeline. */
async function explain(world, { plan, post, verdict, liveItems }) {
  const { holds, means } = VERDICTS[verdict];
  const paint = holds ? yellow : red;
  say(`\n  ${paint(`Post ${post.post_id}`)} (${plan.label}): ${means}; ${liveItems} of ${plan.items.length} live`);
  say(`    ${post.STATUS}: ${post.error ?? "no reason"}`);
  if (holds) return;
  for (const event of await world.api.listEvents(post.post_id)) {
    say(`    ${dim(clock(new Date(event.created_at)))}  ${event.type.padEnd(18)} ${event.message}`);
  }
}

function readSeed(text) {
  if (text === undefined) return Math.floor(Math.random() * 1_000_000);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Refusal(`--seed must be a whole number, not "${text}".`);
}

const elapsed = (run) => `${String(Math.round((Date.now() - run.since) / 1000)).padStart(3)} s`;

await runCommand(soak);
