import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../test/support/control.ts";
import { type Random, seededRandom } from "../../test/support/random.ts";
import type { Api } from "./api.ts";
import { Refusal, type Scope } from "./command.ts";
import { waitFor } from "./http.ts";
import { bold, dim, elapsed, green, mark, red, say } from "./terminal.ts";
import { startCron } from "./workers.ts";
import { bootWorld, type Realism, type World, type WorldOptions } from "./world.ts";

/**
 * The shared driver of the long runs (`soak`, `backlog`, `pressure`, `fuzz`). It boots a world, disturbs the
 * service during the work, waits until nothing is open, and prints the findings and the verdict.
 */

export interface Run {
  readonly scope: Scope;
  readonly world: World;
  readonly seed: number;
  /** Derived from the seed. */
  readonly random: Random;
  readonly since: number;
}

/** What every part of the soak takes. */
export interface SoakOptions {
  readonly seed: number;
  readonly count: number;
  readonly realism: Realism;
  /** How many databases the service has; one by default. */
  readonly databases?: number;
}

interface RunOptions extends WorldOptions {
  /** The command and the size of its run. */
  readonly title: string;
  readonly seed: number;
}

/** Boots a service and a sandbox, which stop with the scope. */
export async function startRun(scope: Scope, { title, seed, ...options }: RunOptions): Promise<Run> {
  const { realism = "calm" } = options;
  say(`${bold("Belfry")} ${title}, seed ${seed}${realism === "calm" ? "" : `, ${realism}`}`);
  const since = Date.now();
  return { scope, world: await bootWorld(scope, options), seed, random: seededRandom(seed), since };
}

/** Prints a line of progress. */
export const note = ({ since }: Pick<Run, "since">, text: string): void => say(dim(`${elapsed(since)}  ${text}`));

const OFTEN_MS = 4000;

/** Fires the cron more often than in production. Ignores errors: a killed service has no cron either. */
export function fireCronOften({ scope, world }: Run): void {
  scope.defer(startCron(world.service.origin, () => {}, OFTEN_MS));
}

interface Kills {
  readonly most: number;
  /** The last time at which the service is killed, in milliseconds from now. */
  readonly withinMs: number;
}

/**
 * Kills the service's whole process group (SIGKILL) at times derived from the seed, and restarts it each
 * time. Returns the number of kills.
 */
export async function killOften(run: Run, { most, withinMs }: Kills): Promise<number> {
  const { scope, world, random } = run;
  const endsAt = Date.now() + withinMs;
  let kills = 0;
  while (kills < most && Date.now() < endsAt) {
    await sleep(random.between(1500, 6000));
    if (scope.isEnding) break;
    await world.service.kill();
    kills++;
    note(run, `killed (${kills})`);
    await world.restartService();
  }
  return kills;
}

/** Faults of these kinds, this often each, at every one of the operations. */
export const faultsAt = (
  platform: string,
  operations: readonly string[],
  counts: Readonly<Record<string, number>>,
): readonly Fault[] =>
  operations.flatMap((operation) =>
    Object.entries(counts).map(([kind, times]) => ({ platform, operation, kind, times })),
  );

/** Injects faults into calls, one kind after the other; all start within `withinMs`. */
export async function injectFaults(run: Run, faults: readonly Fault[], withinMs: number): Promise<void> {
  for (const { platform, operation, kind, times } of faults) {
    await sleep(withinMs / faults.length);
    if (run.scope.isEnding) return;
    await run.world.control.fault(platform, operation, kind, times);
    note(run, `${platform}: ${kind} on the next ${times} ${operation} calls`);
  }
}

/** Prints and returns how many injected faults met a call: a run without any proves nothing. */
export async function sayMetFaults({ world }: Run, faults: readonly Fault[]) {
  const count = (list: readonly Fault[]) => list.reduce((sum, { times }) => sum + times, 0);
  const injected = count(faults);
  const met = injected - count(await world.control.faults());
  say(dim(`  ${met} of ${injected} injected faults met a call.`));
  return { injected, met };
}

interface Rest {
  /** What is awaited, for the progress lines. */
  readonly until: string;
  readonly everyMs: number;
  readonly timeoutMs: number;
}

const PROGRESS_MS = 8_000;
const MOST_NAMED = 5;

/**
 * Calls `findOpen` until it returns nothing or time is up, and prints the number of open items, and the names
 * of the last few. Null means that the service could not be read.
 */
export async function untilRest(
  run: Run,
  rest: Rest,
  findOpen: () => Promise<readonly (string | number)[] | null>,
): Promise<boolean> {
  note(run, `waiting until ${rest.until} …`);
  let printedAt = Date.now();
  const isDone = async () => {
    const open = await findOpen();
    if (open !== null && open.length > 0 && Date.now() - printedAt >= PROGRESS_MS) {
      printedAt = Date.now();
      note(run, `${open.length} open${open.length > MOST_NAMED ? "" : `: ${open.join(", ")}`}`);
    }
    return open?.length === 0;
  };
  return (await waitFor(isDone, rest)) ?? false;
}

/** Waits until the post is live; a post that fails or takes too long ends the command. */
export async function untilPublished({ findPost }: Api, id: number, timeoutMs = 120_000): Promise<void> {
  const post = await waitFor(
    async () => {
      const found = await findPost(id);
      return isEnded(found) && found;
    },
    { timeoutMs, everyMs: 500 },
  );
  if (post?.STATUS !== "published")
    throw new Refusal(`Post ${id} is not published: ${post?.error ?? "it takes too long"}.`);
}

export const isEnded = (post: { readonly STATUS: string } | undefined): boolean =>
  post?.STATUS === "published" || post?.STATUS === "failed";

/** Acts on the items with this many concurrent calls; the results are in the order of the items. */
export async function atOnce<T, R>(most: number, items: readonly T[], act: (item: T, at: number) => Promise<R>) {
  const results: R[] = [];
  // Shared by all workers: each takes the next item.
  const queue = items.entries();
  const work = async () => {
    for (const [at, item] of queue) results[at] = await act(item, at);
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
}

/** One checked limit or promise; null if the system cannot measure it. */
export interface Finding {
  readonly holds: boolean | null;
  readonly text: string;
}

export function sayFindings(findings: readonly Finding[]): void {
  for (const { holds, text } of findings) say(`  ${holds === null ? dim("–") : mark(holds)} ${text}`);
}

export const countBroken = (findings: readonly Finding[]): number =>
  findings.filter(({ holds }) => holds === false).length;

/** Prints error messages. */
export function sayWrongs(wrongs: readonly string[]): void {
  for (const wrong of wrongs) say(`  ${red(wrong)}`);
}

/** Prints the verdict; returns the exit code. */
export function conclude(run: Pick<Run, "seed" | "since">, broken: number, facts: string): number {
  const verdict = broken === 0 ? green("All checks passed") : red(`${broken} checks failed`);
  say(`\n${verdict}: ${facts}, seed ${run.seed}, ${elapsed(run.since).trim()}.`);
  return broken === 0 ? 0 : 1;
}

/** `a 2, b 1`: how often each text occurs. */
export const countEach = (texts: readonly string[]): string =>
  [...Map.groupBy(texts, (text) => text)]
    .map(([text, all]) => `${text} ${all.length}`)
    .sort()
    .join(", ");

/** In an order derived from the seed. */
export function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((one) => ({ one, rank: random.between(0, 1_000_000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}
