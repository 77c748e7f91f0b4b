import type { Home, Meter } from "./fast-clock.ts";
import type { ScaleOptions } from "./scale-plan.ts";
import type { ScaleRun } from "./scale-run.ts";

/** The rows of docs/scale.md, one for each run of `npm run scale`, and what they mean for larger services. */

/** The columns of a row, in the order of the page, after its date, commit and versions. */
const NUMBERS = {
  seed: "Seed",
  posts: "Posts",
  projects: "Projects",
  databases: "Databases",
  days: "Days",
  watched: "Watched, one in",
  calls: "D1 calls a post",
  read: "Rows read a post",
  written: "Rows written a post",
  messages: "Messages a post",
  taskCalls: "D1 calls of tasks a post",
  taskRead: "Rows read of tasks a post",
  taskWritten: "Rows written of tasks a post",
  taskMessages: "Messages of tasks a post",
  sweepCalls: "D1 calls a sweep",
  sweepRead: "Rows read a sweep",
  bytes: "Bytes a post",
  lost: "Lost",
  doubled: "Doubled",
  late: "Late",
  mostLateSeconds: "Latest, s",
  minutes: "Took, min",
} as const;
type Name = keyof typeof NUMBERS;
const NAMES = Object.keys(NUMBERS) as readonly Name[];

interface Versions {
  readonly date: string;
  readonly commit: string;
  readonly versions: string;
}
export type ScaleRow = Versions & Readonly<Record<Name, number>>;

const PURPOSES = ["requests", "jobs", "tasks", "sweeps"] as const;
/** What a post takes by itself; tasks depend on how many posts are watched, and for how long. */
const OF_A_POST = ["requests", "jobs"] as const;
const sumOf = (homes: readonly Home[], purposes: readonly (typeof PURPOSES)[number][], of: keyof Meter): number =>
  homes.reduce((sum, { meters }) => sum + purposes.reduce((own, purpose) => own + meters[purpose][of], 0), 0);
const round = (value: number, digits = 1) => Number(value.toFixed(digits));

export function rowOf(
  options: ScaleOptions,
  { used, run, lost, doubled, late, mostLateMs }: ScaleRun,
  versions: Versions,
): ScaleRow {
  const { databases, messages } = used;
  const { posts } = options;
  const aPost = (of: keyof Meter) => round(sumOf(databases, OF_A_POST, of) / posts);
  const ofTasks = (of: keyof Meter) => round(sumOf(databases, ["tasks"], of) / posts);
  const sweeps = databases.reduce((sum, home) => sum + home.sweeps, 0);
  const aSweep = (of: keyof Meter) => round(sumOf(databases, ["sweeps"], of) / Math.max(1, sweeps));
  return {
    ...versions,
    ...options,
    calls: aPost("d1Calls"),
    read: aPost("d1RowsRead"),
    written: aPost("d1RowsWritten"),
    messages: round(messages.jobs / posts),
    taskCalls: ofTasks("d1Calls"),
    taskRead: ofTasks("d1RowsRead"),
    taskWritten: ofTasks("d1RowsWritten"),
    taskMessages: round(messages.tasks / posts),
    sweepCalls: aSweep("d1Calls"),
    sweepRead: aSweep("d1RowsRead"),
    bytes: Math.round(databases.reduce((sum, { bytes }) => sum + bytes, 0) / posts),
    lost,
    doubled,
    late,
    mostLateSeconds: Math.ceil(mostLateMs / 1000),
    minutes: round((Date.now() - run.since) / 60_000),
  };
}

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const number = (value: number, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function databaseTable(homes: readonly Home[]): Table {
  const header = [
    "DATABASE",
    "D1 CALLS",
    "OF TASKS",
    "ROWS READ",
    "ROWS WRITTEN",
    "SWEEPS",
    "IDLE, LEFT OUT",
    "CALLS OF SWEEPS",
    "ROWS READ OF SWEEPS",
    "SWEEP MS",
    "LONGEST MS",
    "OLDEST DUE JOB, S",
    "BYTES ADDED",
  ];
  const rows = homes.map((home, at) => [
    String(at),
    number(sumOf([home], PURPOSES, "d1Calls")),
    number(home.meters.tasks.d1Calls),
    number(sumOf([home], PURPOSES, "d1RowsRead")),
    number(sumOf([home], PURPOSES, "d1RowsWritten")),
    number(home.sweeps),
    number(home.skipped),
    number(home.meters.sweeps.d1Calls),
    number(home.meters.sweeps.d1RowsRead),
    number(home.sweepMs / Math.max(1, home.sweeps), 1),
    number(home.longestSweepMs),
    number(home.mostBehindMs / 1000, 1),
    number(home.bytes),
  ]);
  return { header, rows };
}

const POSTS_A_DAY = 10_000_000;
const DAY_SECONDS = 86_400;
const DAY_MINUTES = 1440;
/** Assumed: D1 runs the calls of a database one after the other, each for two milliseconds. */
const CALLS_A_SECOND = 500;
const DATABASE_BYTES = 10e9;
/** As in scripts/support/bill.ts: a message is written, read and deleted. */
const OPERATIONS_OF_A_MESSAGE = 3;
const PEAK = 4;

/** What ten million posts a day take, by the counts of this row. */
export function extrapolation(row: ScaleRow): Table {
  const aSecond = POSTS_A_DAY / DAY_SECONDS;
  const calls = round(row.calls + row.taskCalls);
  const read = round(row.read + row.taskRead);
  const written = round(row.written + row.taskWritten);
  const messages = round(row.messages + row.taskMessages);
  const databases = Math.ceil((aSecond * calls * PEAK) / CALLS_A_SECOND);
  const perDay = POSTS_A_DAY * row.bytes;
  const forBytes = Math.ceil((perDay * 60) / DATABASE_BYTES);
  const sweeps = Math.max(databases, forBytes) * DAY_MINUTES;
  return {
    header: ["TEN MILLION POSTS A DAY", "VALUE", "FORMULA"],
    rows: [
      ["posts a second", number(aSecond), "10,000,000 / 86,400"],
      ["posts a second at the peak", number(aSecond * PEAK), `x ${PEAK} (assumed)`],
      [
        "D1 calls a second, mean",
        number(aSecond * calls),
        `posts a second x (${row.calls} calls a post + ${row.taskCalls} of tasks)`,
      ],
      [
        "databases for the calls of the peak",
        number(databases),
        `calls a second x ${PEAK} / ${CALLS_A_SECOND} of a database (assumed: ${1000 / CALLS_A_SECOND} ms a call)`,
      ],
      ["D1 rows read a day", number(POSTS_A_DAY * read), `10,000,000 x (${row.read} + ${row.taskRead}) a post`],
      [
        "D1 rows written a day",
        number(POSTS_A_DAY * written),
        `10,000,000 x (${row.written} + ${row.taskWritten}) a post`,
      ],
      [
        "queue operations a day",
        number(POSTS_A_DAY * messages * OPERATIONS_OF_A_MESSAGE),
        `10,000,000 x (${row.messages} + ${row.taskMessages}) messages a post x ${OPERATIONS_OF_A_MESSAGE}`,
      ],
      [
        "jobs due in a minute of a database, peak",
        number((POSTS_A_DAY / DAY_MINUTES / databases) * PEAK),
        `10,000,000 / 1,440 / databases x ${PEAK}; a sweep sends up to 30,000`,
      ],
      ["GB a day in D1", number(perDay / 1e9, 1), `10,000,000 x ${number(row.bytes)} bytes a post`],
      ["databases for 60 days of posts", number(forBytes), "60 x bytes a day / 10 GB a database"],
      ["sweeps a day", number(sweeps), `${number(DAY_MINUTES)} x the larger number of databases`],
      ["D1 calls of sweeps a day", number(sweeps * row.sweepCalls), `sweeps x ${row.sweepCalls}`],
      ["D1 rows read of sweeps a day", number(sweeps * row.sweepRead), `sweeps x ${row.sweepRead}`],
    ],
  };
}

const isRow = /^\| (\d{4}-\d\d-\d\d) \| (\S+) \| ([^|]+) \|([\d |.]+)\|$/gm;

/** The rows of the page as it is; none if it does not exist yet. */
export function rowsIn(page: string): readonly ScaleRow[] {
  return [...page.matchAll(isRow)].map(([, date = "", commit = "", versions = "", numbers = ""]) => {
    const values = numbers.split("|").map(Number);
    const own = Object.fromEntries(NAMES.map((name, at) => [name, values[at] ?? 0])) as Record<Name, number>;
    return { ...own, date, commit, versions };
  });
}

const cells = (all: readonly (string | number)[]) => `| ${all.join(" | ")} |`;
const markdownOf = ({ header, rows }: Table, leftColumns: number) =>
  [cells(header), cells(header.map((_, at) => (at < leftColumns ? "---" : "---:"))), ...rows.map(cells)].join("\n");

export function scalePage(rows: readonly ScaleRow[], { used, answers }: Pick<ScaleRun, "used" | "answers">): string {
  const last = rows.at(-1);
  if (!last) throw new Error("The page has a row for each run.");
  const header = ["Date", "Commit", "Node, workerd", ...NAMES.map((name) => NUMBERS[name])];
  const lines = rows.map((row) => [row.date, row.commit, row.versions, ...NAMES.map((name) => String(row[name]))]);
  return `<!-- Made by \`npm run scale\`: each run adds its row, and replaces the tables of the last run. -->
# Scale: what posts take as a service grows

\`\`\`
npm run scale
\`\`\`

The command starts the service and the sandbox with eight local databases and a fast clock: the service's own code runs, but its time moves
from one due message to the next, and ten days pass in minutes. Two hundred projects schedule and publish posts of all kinds on all
platforms, and one project in ten has a bot that watches its posts. At the end every post is compared with what is live: none may be lost, live twice,
or live more than a minute after its time. Each comment on a watched post must have one answer.

D1 calls and rows are those of D1's own \`meta\`. "A post" counts all requests and jobs, divided by the posts. "Tasks" are recurring work: polls of bots,
renewals of logins and reads of what posts achieved. They grow with the channels, the share of watched posts and the days, so compare rows of
equal days and shares. The clock stands still while code runs: lateness is what schedule, queue and sweeps add, not how long a machine computes. Allowances
of platforms are lifted, and X takes a text of a bot more than once a day. A sweep is left out where it has nothing to do, but one an hour. Sweeps of every database also read
the directory, which is database 0.

${markdownOf({ header, rows: lines }, 3)}

## The last run

${number(last.posts)} posts, ${number(answers)} answers of bots.

${markdownOf(databaseTable(used.databases), 0)}

## Ten million posts a day

By the counts of the last run. Local databases show how much is called, not how long a call takes at Cloudflare: those numbers are assumed.

${markdownOf(extrapolation(last), 1)}
`;
}
