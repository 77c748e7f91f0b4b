import {
  type Burst,
  createAll,
  type Planned,
  planned,
  postOn,
  publishAtOnce,
  settle,
  type Timed,
  timeOne,
} from "./support/burst.ts";
import { readArguments, readChoices, readSeed, runCommand, type Scope } from "./support/command.ts";
import { conclude, countBroken, type Finding, note, sayFindings, startRun } from "./support/driver.ts";
import { waitFor } from "./support/http.ts";
import { importRows } from "./support/import-burst.ts";
import { watchHeap } from "./support/isolate-heap.ts";
import { type Invocation, readInvocation } from "./support/logs.ts";
import { startMediaServer } from "./support/media-server.ts";
import { megabytes } from "./support/memory.ts";
import { inTurn } from "./support/soak-plan.ts";
import { bold, seconds } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { createProject, type Project, raiseRateLimits } from "./support/world.ts";

const ACCOUNTS = 5;
const THREADS = 10;
const THREAD_ITEMS = 25;
const PICTURES_AN_ITEM = 4;
const VIDEO_BYTES = 100_000_000;
const GENERATED = 5;
/** The service takes at most 40 MiB for a voice-over. */
const GENERATED_BYTES = 40_000_000;
const FLOOD_POSTS = 300;
const FLOOD_CONNECTIONS = 16;
const SLOW_MS = 2000;

const IMPORTED_ROWS = 10_000;
const IMPORT_MS = 60_000;

const MOST_GROWTH = 80_000_000;
const MOST_SUBREQUESTS = 1000;
const OTHER_MS = 10_000;

/** Time limits of the tests; a test that exceeds its limit fails. */
const LIMIT_MS = {
  videos: 150_000,
  fits: 120_000,
  generated: 120_000,
  other: 60_000,
  flood: 120_000,
  threads: 150_000,
};
const END_MS = 410_000;

const USAGE = `npm run pressure -- [--only TESTS] [--seed N]

Checks the limits of one invocation and one isolate, and the isolation between projects. Takes at most seven minutes.

  fits      ten pictures of 12 megapixels that are made to fit at once: the same limit as videos
  videos    ten videos of 100 MB at once, on Facebook and X: the service's memory grows by less than ${megabytes(MOST_GROWTH)}
  generated five generated videos of ${megabytes(GENERATED_BYTES)} with a voice-over at once: the same limit
  flood     ${FLOOD_POSTS} posts of one project with a picture that takes ${SLOW_MS / 1000} s, then a text and a photo of another:
            each live within ${OTHER_MS / 1000} s
  imports   a CSV file of ${IMPORTED_ROWS.toLocaleString("en")} rows: checked and created within ${IMPORT_MS / 1000} s, in the same limit of memory
  threads   ten threads of ${THREAD_ITEMS} × ${PICTURES_AN_ITEM} pictures in one batch

Exits with 0 only if all posts are live exactly once, within these limits, and no invocation made ${MOST_SUBREQUESTS} subrequests.`;

interface Pressure extends Burst {
  /** Each has a channel on both platforms. */
  readonly projects: readonly Project[];
}

async function pressure(scope: Scope): Promise<number> {
  const options = readArguments({ only: { type: "string" }, seed: { type: "string" } });
  const tests = readChoices("only", options.only, ["videos", "fits", "generated", "flood", "imports", "threads"]);
  let invocations: Invocation[] = [];
  const onLine = (line: string) => {
    const invocation = readInvocation(line);
    if (invocation) invocations.push(invocation);
  };
  const run = await boot(scope, readSeed(options.seed), onLine);
  const findings: Finding[] = [];
  for (const name of tests) {
    note(run, bold(name));
    invocations = [];
    const found = [...(await TESTS[name](run)), ...findingsOf(invocations)];
    sayFindings(found);
    findings.push(...found);
  }
  return conclude(run, countBroken(findings), tests.join(", "));
}

/** Starts a service, a sandbox and a media server, and creates projects with channels. */
async function boot(scope: Scope, seed: number, onLine: (line: string) => void): Promise<Pressure> {
  const variables = { LOG_LEVEL: "all" };
  const run = await startRun(scope, { title: "pressure", seed, variables, isInspected: true, logLevel: "log", onLine });
  await raiseRateLimits(run.world);
  const media = await startMediaServer(scope, SLOW_MS);
  const projects: Project[] = [];
  while (projects.length < ACCOUNTS) projects.push(await createProject(run.world, `Tower ${projects.length + 1}`));
  const gate = await createProject(run.world, "Gate");
  scope.defer(startCron(run.world.service.origin, (message) => note(run, `cron: ${message}`)));
  return { ...run, media, projects, gate, endsAt: run.since + END_MS };
}

async function testVideos(run: Pressure): Promise<Finding[]> {
  const { media, projects, seed, world } = run;
  const videos = (name: string) =>
    projects.flatMap((project, at) => [
      planned(project, "facebook", `${name} ${seed} on facebook, ${at}.`, [media.video(`${name}-f${at}`, VIDEO_BYTES)]),
      planned(project, "twitter", `${name} ${seed} on X, ${at}.`, [media.video(`${name}-x${at}`, VIDEO_BYTES)]),
    ]);
  const what = `videos of ${megabytes(VIDEO_BYTES)}`;
  // The first round absorbs one-time memory use of the process, including simulated storage and queues.
  const first = await publishAtOnce(run, what, videos("First"), LIMIT_MS.videos);
  const heap = await watchHeap(world.service);
  const second = await publishAtOnce(run, what, videos("Second"), LIMIT_MS.videos);
  return [first, second, heapFinding(await heap.end())];
}

function heapFinding({ before, growth }: { readonly before: number; readonly growth: number }): Finding {
  const grew = `${megabytes(before)} before, + ${megabytes(growth)} at most (< ${megabytes(MOST_GROWTH)})`;
  return { holds: growth < MOST_GROWTH, text: `heap of the isolate: ${grew}` };
}

async function testGenerated(run: Pressure): Promise<Finding[]> {
  const { seed, world } = run;
  const [{ apis }] = [inTurn(run.projects, 0)];
  await world.control.settings({ models_video_bytes: GENERATED_BYTES, models_video_ms: 1_000 });
  const heap = await watchHeap(world.service);
  const body = (at: number) => ({ post_type: "faceless_reel", input: `Pressure ${seed} has video number ${at}` });
  const made = Array.from({ length: GENERATED }, (_, at) => apis[0].createGeneration(body(at), `video-${seed}-${at}`));
  const ids = new Set(await Promise.all(made));
  const since = Date.now();
  const done = async () => {
    const all = await apis[0].listGenerations();
    return all.filter(({ id, status }) => ids.has(id) && status === "done").length;
  };
  await waitFor(async () => (await done()) === GENERATED, { timeoutMs: LIMIT_MS.generated, everyMs: 500 });
  const text = `${await done()} of ${GENERATED} videos of ${megabytes(GENERATED_BYTES)} have a voice-over: ${seconds(Date.now() - since)}`;
  return [{ holds: (await done()) === GENERATED, text }, heapFinding(await heap.end())];
}

async function testImports({ world, projects }: Pressure): Promise<Finding[]> {
  const { channels } = inTurn(projects, 0);
  const { token } = await world.operator.issueToken({ project: inTurn(projects, 0).name });
  const heap = await watchHeap(world.service);
  const imported = await importRows(world, { channels, token }, { rows: IMPORTED_ROWS, timeoutMs: 2 * IMPORT_MS });
  const { bytes, checkedMs, createdMs, created } = imported;
  const text = `${created} of ${IMPORTED_ROWS} rows of ${megabytes(bytes)}: checked in ${seconds(checkedMs)}, created in ${seconds(createdMs)}`;
  const isWhole = created === IMPORTED_ROWS && checkedMs + createdMs < IMPORT_MS;
  return [{ holds: isWhole, text: `${text} (< ${seconds(IMPORT_MS)})` }, heapFinding(await heap.end())];
}

async function testThreads(run: Pressure): Promise<Finding[]> {
  const threads = Array.from({ length: THREADS }, (_, at) => thread(run, at));
  const what = `threads of ${THREAD_ITEMS} × ${PICTURES_AN_ITEM} pictures`;
  return [await publishAtOnce(run, what, threads, LIMIT_MS.threads)];
}

function thread({ projects, media, seed }: Pressure, at: number): Planned {
  const project = inTurn(projects, at);
  const items = Array.from({ length: THREAD_ITEMS }, (_, item) => ({
    text: `Pressure ${seed}, thread ${at + 1}, stroke ${item + 1}.`,
    pictures: Array.from({ length: PICTURES_AN_ITEM }, (_, picture) => media.picture(`${at}-${item}-${picture}`)),
  }));
  const twitter_threads = items.map(({ text, pictures }) => ({ message: text, media_urls: pictures }));
  const body = { ...postOn(project, "twitter"), post_type: "thread", twitter_threads };
  return { project, items, files: PICTURES_AN_ITEM, body };
}

async function testFlood(run: Pressure): Promise<Finding[]> {
  const { media, projects, seed } = run;
  const [large, small] = [inTurn(projects, 0), inTurn(projects, 1)];
  const others = (when: string) =>
    Promise.all([
      timeOne(run, planned(small, "facebook", `Text ${seed}, ${when}.`, []), LIMIT_MS.other),
      timeOne(run, planned(small, "twitter", `Photo ${seed}, ${when}.`, [media.picture(when)]), LIMIT_MS.other),
    ]);
  const alone = await others("alone");
  const since = Date.now();
  const flood = Array.from({ length: FLOOD_POSTS }, (_, at) =>
    planned(large, "facebook", `Flood ${seed}, drop ${at + 1}.`, [media.slowPicture(`drop-${at}`)]),
  );
  const created = await createAll(run, flood, FLOOD_CONNECTIONS);
  note(run, `${FLOOD_POSTS} posts created in ${seconds(Date.now() - since)}`);
  const beside = await others("beside");
  const { total } = await large.apis[0].listPosts("channels=facebook&status=published&limit=1");
  note(run, `${total} of them were live when the other project's were`);
  // The measurement is complete; the rest can finish at full speed.
  media.slowMs = 0;
  const timed = [...alone, ...beside].map((each) => each.created);
  return [
    besideFinding("text", alone[0], beside[0]),
    besideFinding("photo", alone[1], beside[1]),
    await settle(run, "posts, the flood and the others,", [...created, ...timed], { since, limitMs: LIMIT_MS.flood }),
  ];
}

function besideFinding(what: string, alone: Timed, beside: Timed): Finding {
  const waited = ({ tookMs }: Timed) =>
    tookMs === null ? `not within ${seconds(LIMIT_MS.other)}` : `after ${seconds(tookMs)}`;
  return {
    holds: beside.tookMs !== null && beside.tookMs < OTHER_MS,
    text: `another project's ${what} beside it: published ${waited(beside)} (< ${seconds(OTHER_MS)}), alone ${waited(alone)}`,
  };
}

/** Pictures that are larger than X takes: each gets a copy, and an isolate makes one at a time. */
async function testFits(run: Pressure): Promise<Finding[]> {
  const { media, projects, seed, world } = run;
  const photos = (name: string) =>
    projects.flatMap((project, at) =>
      [1, 2].map((nth) =>
        planned(project, "twitter", `${name} ${seed}, ${at}.${nth}.`, [media.photo(`${name}-${at}-${nth}`)]),
      ),
    );
  const what = "pictures of 12 megapixels that are made to fit";
  const first = await publishAtOnce(run, what, photos("Early"), LIMIT_MS.fits);
  const heap = await watchHeap(world.service);
  const second = await publishAtOnce(run, what, photos("Late"), LIMIT_MS.fits);
  return [first, second, heapFinding(await heap.end())];
}

const TESTS = {
  videos: testVideos,
  fits: testFits,
  generated: testGenerated,
  flood: testFlood,
  imports: testImports,
  threads: testThreads,
};

function findingsOf(invocations: readonly Invocation[]): Finding[] {
  if (invocations.length === 0) return [{ holds: null, text: "subrequests: the service does not log them" }];
  const deliveries = Math.max(...invocations.map((one) => one.deliveries));
  const subrequests = Math.max(...invocations.map((one) => one.subrequests));
  const most = `${subrequests} subrequests at most in one (< ${MOST_SUBREQUESTS})`;
  const text = `${invocations.length} invocations, up to ${deliveries} deliveries each: ${most}`;
  return [{ holds: subrequests < MOST_SUBREQUESTS, text }];
}

await runCommand(USAGE, pressure);
