import { copyFileSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createSurely, surely } from "./support/api.ts";
import { readArguments, readSeed, readWhole, runCommand, type Scope } from "./support/command.ts";
import {
  atOnce,
  conclude,
  countBroken,
  type Finding,
  fireCronOften,
  isEnded,
  note,
  type Run,
  sayFindings,
  sayWrongs,
  startRun,
  untilRest,
} from "./support/driver.ts";
import { knownPlatforms } from "./support/kinds.ts";
import { judgeAll, OUTCOMES, sentenceOf } from "./support/post-outcome.ts";
import { planPosts, type SoakPlan } from "./support/soak-plan.ts";
import { say } from "./support/terminal.ts";
import { connectAll, type World } from "./support/world.ts";

const USAGE = `node scripts/run.mjs scripts/restore-drill.ts [--posts N] [--seed N]

Sets the database back while posts are published, as a restored backup of D1 does: schedules N posts (28) on every platform
for the next minutes, copies the database, waits until they are live, and puts the copy back. Then every post must still be
live exactly once: the service finds what is live and adopts it. Prints what was lost. About six minutes; exit 0 if it holds.`;

const MINUTE = 60_000;
/** Shorter than in production: how late a platform may show a post, and how long a dead run holds one. */
const VARIABLES = { PACE_FACTOR: "5", LIST_LAG_SECONDS: "20", JOB_LEASE_SECONDS: "35" };
/** Posts that are created after the copy: the restored database does not know them. */
const UNKNOWN = 3;
const CONNECTIONS = 4;
const END_MS = 10 * MINUTE;

interface Created extends SoakPlan {
  readonly id: number;
}

async function drill(scope: Scope): Promise<number> {
  const options = readArguments({ posts: { type: "string", default: "28" }, seed: { type: "string" } });
  const count = readWhole("posts", options.posts, 500);
  const seed = readSeed(options.seed);
  const run = await startRun(scope, { title: `restore drill: ${count} posts`, seed, variables: VARIABLES });
  const { api, control } = run.world;
  const known = knownPlatforms();
  await connectAll(
    run.world,
    known.map(({ name }) => name),
    1,
  );
  for (const { facts } of known) await control.settings({ ...facts.roomy, ...facts.busy });
  const plans = planPosts(run, count + UNKNOWN, known, await api.listChannels());
  fireCronOften(run);

  // Half of them are due before the database is set back, half after it.
  const first = nextMinute(40_000);
  const later = first + 4 * MINUTE;
  const created = await create(run, plans.slice(0, count), (at) => (at % 2 === 0 ? first : later));
  const file = databaseOf(run.world);
  const copy = join(run.world.directory, "copy.sqlite");
  copyDatabase(file, copy);
  const copiedAt = Date.now();
  note(run, "the database is copied");
  const lost = await create(run, plans.slice(count), () => null);
  const due = created.filter((_, at) => at % 2 === 0);
  await untilEnded(run, [...due, ...lost]);
  // The service notices what was set back by more than the time between two sweeps.
  await sleep(Math.max(0, copiedAt + 70_000 - Date.now()));
  const before = (await control.posts()).length;

  await run.world.service.kill();
  putBack(file, copy);
  note(run, `${before} items are live; the database is set back to before them`);
  await run.world.restartService();
  await untilEnded(run, created);
  return judge(run, created, lost);
}

/** Null: published now. */
function create({ world, seed }: Run, plans: readonly SoakPlan[], dueAt: (at: number) => number | null) {
  return atOnce(CONNECTIONS, plans, async (plan, at): Promise<Created> => {
    const due = dueAt(at);
    const when =
      due === null ? {} : ({ publish_mode: "scheduled", schedule_time: minuteOf(due), time_zone: "UTC" } as const);
    const key = `drill-${seed}-${plan.key}`;
    return { ...plan, id: await createSurely(world.api, { ...plan.body, ...when }, key, () => false) };
  });
}

async function untilEnded(run: Run, posts: readonly Created[]): Promise<void> {
  const rest = { until: `${posts.length} posts have ended`, everyMs: 2000, timeoutMs: END_MS };
  await untilRest(run, rest, async () => {
    const found = await readPosts(run);
    return posts.flatMap(({ id }) => (isEnded(found.get(id)) ? [] : [id]));
  });
}

const readPosts = ({ world }: Run) => {
  const names = knownPlatforms().map(({ name }) => name);
  // A service that has just started may refuse the first requests of a token.
  return surely(() => world.api.listAllPosts(`channel_type=${names.join(",")}`));
};

async function judge(run: Run, created: readonly Created[], lost: readonly Created[]): Promise<number> {
  const live = await run.world.control.posts();
  const results = judgeAll(created, await readPosts(run), live);
  const outcomes = [...Map.groupBy(results, ({ verdict }) => verdict)].map(
    ([{ holds, means }, own]): Finding => ({ holds, text: `${String(own.length).padStart(3)}  ${means}` }),
  );
  say("");
  sayFindings(outcomes);
  sayWrongs(results.flatMap((one) => (one.verdict === OUTCOMES.once ? [] : [sentenceOf(one, one.verdict.means)])));
  const texts = new Set(lost.flatMap(({ items }) => items.map(({ text }) => text)));
  const unknown = live.filter(({ text }) => texts.has(text));
  say(
    `\nLost: ${lost.length} posts that were created after the copy. The database does not know them; these are live:`,
  );
  for (const { platform, permalink, text } of unknown) say(`  ${platform}: ${text} ${permalink ?? ""}`);
  const twice = new Set(unknown.map(({ text }) => text)).size < unknown.length;
  const stays: Finding = { holds: !twice, text: "what is lost is live at most once" };
  sayFindings([stays]);
  return conclude(run, countBroken([...outcomes, stays]), `${results.length} posts, ${live.length} live items`);
}

/** A consistent copy, while the service runs. */
function copyDatabase(file: string, copy: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
}

function putBack(file: string, copy: string): void {
  for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}`, { force: true });
  copyFileSync(copy, file);
}

/** The file of the service's D1 database in the local storage. */
function databaseOf({ directory }: World): string {
  const files = globSync("**/*.sqlite", { cwd: directory }).map((file) => join(directory, file));
  const found = files.find((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sweep_notes'").get() !== undefined;
    } finally {
      database.close();
    }
  });
  if (found === undefined) throw new Error("The service has no database yet.");
  return found;
}

const nextMinute = (aheadMs: number): number => Math.ceil((Date.now() + aheadMs) / MINUTE) * MINUTE;
const minuteOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

await runCommand(USAGE, drill);
