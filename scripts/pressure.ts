import { createApi } from "./support/api.ts";
import {
  type Burst,
  createAll,
  type Planned,
  type Project,
  type Published,
  planned,
  publishAtOnce,
  settle,
  type Timed,
  timeOne,
} from "./support/burst.ts";
import { Refusal, readArguments, readWhole, runCommand, type Scope } from "./support/command.ts";
import { InvocationLog } from "./support/logs.ts";
import { startMediaServer } from "./support/media-server.ts";
import { megabytes, watchMemory } from "./support/memory.ts";
import { bold, dim, elapsed, green, mark, red, say, seconds } from "./support/terminal.ts";
import { startCron } from "./support/workers.ts";
import { bootWorld, connectAccounts, type World } from "./support/world.ts";

const ACCOUNTS = 5;
const THREADS = 10;
const THREAD_ITEMS = 25;
const PICTURES_AN_ITEM = 4;
const VIDEO_BYTES = 100_000_000;
const FLOOD_POSTS = 300;
const FLOOD_CONNECTIONS = 16;
const SLOW_MS = 2000;

const MOST_GROWTH = 80_000_000;
const MOST_SUBREQUESTS = 1000;
const OTHER_MS = 10_000;

/** Time limits of the tests; a test that exceeds its limit fails. */
const LIMIT_MS = { videos: 150_000, other: 60_000, flood: 120_000, threads: 150_000 };
const END_MS = 355_000;

const USAGE = `npm run pressure -- [--only videos|flood|threads] [--seed N]

What one invocation and one isolate must bear, and what one project must not do to another; at most six minutes.

  videos    ten videos of 100 MB at once, on facebook and X: the service's memory grows by less than ${megabytes(MOST_GROWTH)}
  flood     ${FLOOD_POSTS} posts of one project with a picture that takes ${SLOW_MS / 1000} s, then a text and a photo of another:
            each live within ${OTHER_MS / 1000} s
  threads   ten threads of ${THREAD_ITEMS} × ${PICTURES_AN_ITEM} pictures in one batch

Exit 0 only if all of them are live exactly once, within these limits, and no invocation made ${MOST_SUBREQUESTS} subrequests.`;

interface Run extends Burst {
  readonly since: number;
  readonly invocations: InvocationLog;
  /** Each has a channel on both platforms. */
  readonly projects: readonly Project[];
}

/** One line of the report; null if nothing was measured. */
interface Finding {
  readonly holds: boolean | null;
  readonly says: string;
}

async function pressure(scope: Scope): Promise<number> {
  const options = readArguments({
    only: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  });
  const tests = Object.entries(TESTS).filter(([name]) => options.only === undefined || name === options.only);
  if (tests.length === 0) throw new Refusal(`--only takes ${Object.keys(TESTS).join(", ")}, not "${options.only}".`);
  const run = await boot(scope, readWhole("seed", options.seed, 999_999));

  const findings: Finding[] = [];
  for (const [name, test] of tests) {
    say(`\n${bold(name)} ${dim(`from ${elapsed(run.since).trim()} on`)}`);
    run.invocations.begin();
    const found = [...(await test(run)), ...tellInvocations(run.invocations)];
    for (const { holds, says } of found) say(`  ${holds === null ? dim("–") : mark(holds)} ${says}`);
    findings.push(...found);
  }
  const broken = findings.filter(({ holds }) => holds === false).length;
  say(
    `\n${broken === 0 ? green("All of it holds") : red(`${broken} limits are broken`)}: ${elapsed(run.since).trim()}.`,
  );
  return broken === 0 ? 0 : 1;
}

/** Starts a service, a sandbox and a media server, and creates projects with channels. */
async function boot(scope: Scope, seed: number): Promise<Run> {
  const since = Date.now();
  say(`${bold("Belfry pressure")}: seed ${seed}`);
  const invocations = new InvocationLog();
  const world = await bootWorld(scope, {
    variables: { LOG_LEVEL: "all" },
    logLevel: "log",
    onLine: (line) => invocations.read(line),
  });
  // Raises the platforms' rate limits: the test measures our own limits.
  await world.control.settings({ facebook_calls_per_hour: 100_000_000, twitter_rate_limit_scale: 1000 });
  const media = await startMediaServer(scope, SLOW_MS);
  const projects: Project[] = [];
  for (let at = 1; at <= ACCOUNTS; at++) projects.push(await bootProject(world, `Tower ${at}`));
  const gate = await bootProject(world, "Gate");
  scope.defer(startCron(world.service.origin, (message) => scope.isEnding || say(dim(`cron: ${message}`))));
  say(dim(`Ready after ${elapsed(since).trim()}; ${projects.length + 1} projects with two channels each.`));
  return { since, seed, world, media, invocations, projects, gate, endsAt: since + END_MS };
}

async function bootProject({ control, operator, service }: World, name: string): Promise<Project> {
  const api = createApi(service.origin, (await operator.issueToken({ project: name })).token);
  const accounts = [await control.addAccount("facebook", name), await control.addAccount("twitter", name)];
  await connectAccounts(api, { platforms: ["facebook", "twitter"], accounts });
  const channels = await api.listChannels();
  const idOf = (platform: string) => {
    const channel = channels.find(({ channel_type: type }) => type === platform);
    if (!channel) throw new Error(`${name} was not connected to ${platform}.`);
    return channel.channel_id;
  };
  return { api, facebook: idOf("facebook"), twitter: idOf("twitter") };
}

// --- the tests --------------------------------------------------------------------------------------------------

async function testVideos(run: Run): Promise<Finding[]> {
  const { media, projects, world } = run;
  const videos = (name: string, bytes: number, some: readonly Project[]) =>
    some.flatMap((project, at) => [
      planned(project, "facebook", `${name} ${run.seed} on facebook, ${at}.`, [media.video(`${name}-f${at}`, bytes)]),
      planned(project, "twitter", `${name} ${run.seed} on X, ${at}.`, [media.video(`${name}-x${at}`, bytes)]),
    ]);
  // The first round absorbs one-time memory use of the process, including simulated storage and queues.
  const first = await publishAtOnce(run, videos("First", VIDEO_BYTES, projects), LIMIT_MS.videos);
  const memory = watchMemory(world.service.pid);
  const large = await publishAtOnce(run, videos("Large", VIDEO_BYTES, projects), LIMIT_MS.videos);
  const used = memory?.end();
  const grew: Finding = used
    ? {
        holds: used.growth < MOST_GROWTH,
        says: `memory: ${megabytes(used.before)} before, + ${megabytes(used.growth)} at most (< ${megabytes(MOST_GROWTH)})`,
      }
    : { holds: null, says: dim("memory: not told by this system (no /proc)") };
  return [tellPublished(`videos of ${megabytes(VIDEO_BYTES)}`, large), grew, ...first.broken.map(toFinding)];
}

async function testThreads(run: Run): Promise<Finding[]> {
  const threads = Array.from({ length: THREADS }, (_, at) => thread(run, at));
  const published = await publishAtOnce(run, threads, LIMIT_MS.threads);
  return [tellPublished(`threads of ${THREAD_ITEMS} × ${PICTURES_AN_ITEM} pictures`, published)];
}

function thread({ projects, media, seed }: Run, at: number): Planned {
  const project = projects[at % projects.length];
  if (!project) throw new Error("There is no project.");
  const items = Array.from({ length: THREAD_ITEMS }, (_, item) => ({
    text: `Pressure ${seed}, thread ${at + 1}, stroke ${item + 1}.`,
    pictures: Array.from({ length: PICTURES_AN_ITEM }, (_, picture) => media.picture(`${at}-${item}-${picture}`)),
  }));
  return {
    project,
    items,
    files: PICTURES_AN_ITEM,
    body: {
      channel_type: "twitter",
      channel_id: project.twitter,
      post_type: "thread",
      publish_mode: "now",
      twitter_threads: items.map(({ text, pictures }) => ({ message: text, media_urls: pictures })),
    },
  };
}

async function testFlood(run: Run): Promise<Finding[]> {
  const { media, projects, seed } = run;
  const [large, small] = projects;
  if (!large || !small) throw new Error("There are not two projects.");
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
  const tookMs = Date.now() - since;
  const beside = await others("beside");
  const { total } = await large.api.listPosts("channels=facebook&status=published&limit=1");
  say(
    dim(
      `  ${FLOOD_POSTS} posts created in ${seconds(tookMs)}; ${total} of them were live when the other project's were`,
    ),
  );
  // The measurement is complete; the rest can finish at full speed.
  media.slowMs = 0;
  const timed = [...alone, ...beside].map((each) => each.created);
  const published = await settle(run, [...created, ...timed], since, LIMIT_MS.flood);
  return [
    tellBeside("text", alone[0], beside[0]),
    tellBeside("photo", alone[1], beside[1]),
    tellPublished("posts, the flood and the others,", published),
  ];
}

function tellBeside(what: string, alone: Timed, beside: Timed): Finding {
  const waited = ({ tookMs }: Timed) =>
    tookMs === null ? `not within ${seconds(LIMIT_MS.other)}` : `after ${seconds(tookMs)}`;
  return {
    holds: beside.tookMs !== null && beside.tookMs < OTHER_MS,
    says: `another project's ${what} beside it: published ${waited(beside)} (< ${seconds(OTHER_MS)}), alone ${waited(alone)}`,
  };
}

const TESTS: Readonly<Record<string, (run: Run) => Promise<Finding[]>>> = {
  videos: testVideos,
  flood: testFlood,
  threads: testThreads,
};

// --- telling ----------------------------------------------------------------------------------------------------

function tellPublished(what: string, { count, items, tookMs, broken }: Published): Finding {
  const wrong = broken.slice(0, 5).map((sentence) => `\n      ${sentence}`);
  const parts = items === count ? "" : `, ${items} items`;
  const says = `${count - broken.length} of ${count} ${what} are live exactly once${parts}: ${seconds(tookMs)}`;
  return { holds: broken.length === 0, says: `${says}${wrong.join("")}` };
}

const toFinding = (says: string): Finding => ({ holds: false, says });

function tellInvocations({ count, mostDeliveries, mostSubrequests }: InvocationLog): Finding[] {
  if (count === 0) return [{ holds: null, says: dim("subrequests: the service does not log them") }];
  const most = `${mostSubrequests} subrequests at most in one (< ${MOST_SUBREQUESTS})`;
  return [
    {
      holds: mostSubrequests < MOST_SUBREQUESTS,
      says: `${count} invocations, up to ${mostDeliveries} deliveries each: ${most}`,
    },
  ];
}

await runCommand(USAGE, pressure);
