import { OUTCOMES, type Result } from "./post-outcome.ts";
import type { SoakPlan } from "./soak-plan.ts";
import type { PostsRun } from "./soak-posts.ts";

/** The rows of docs/proof.md, one for each run of `npm run proof`, and what they add up to. */

/** The columns that are added up, in the order of the page. */
const COUNTS = ["posts", "published", "failed", "lost", "doubled", "stuck", "wrong", "kills", "faults"] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export interface ProofRow extends Counts {
  readonly date: string;
  readonly commit: string;
  readonly versions: string;
  readonly seed: number;
}

const TITLES: Readonly<Record<(typeof COUNTS)[number], string>> = {
  posts: "Posts",
  published: "Published",
  failed: "Failed with a reason",
  lost: "Lost",
  doubled: "Doubled",
  stuck: "Stuck",
  wrong: "Wrong",
  kills: "Kills",
  faults: "Faults",
};
const HEADER = ["Date", "Commit", "Node, workerd", "Seed", ...COUNTS.map((name) => TITLES[name])];

/** Which outcomes of a post count where. */
const LOST: readonly unknown[] = [OUTCOMES.missing, OUTCOMES.unexplained, OUTCOMES.unknown];
const WRONG: readonly unknown[] = [OUTCOMES.hidden, OUTCOMES.disorder];

export function countsOf({ results, strangers, kills, faults }: Omit<PostsRun, "run" | "findings">): Counts {
  const count = (is: (result: Result<SoakPlan>) => boolean) => results.filter(is).length;
  return {
    posts: results.length,
    published: count(({ verdict }) => verdict === OUTCOMES.once),
    failed: count(({ verdict }) => verdict !== OUTCOMES.once && verdict.holds),
    lost: count(({ verdict }) => LOST.includes(verdict)),
    doubled: count(({ verdict }) => verdict === OUTCOMES.twice),
    stuck: count(({ verdict }) => verdict === OUTCOMES.unended),
    wrong: count(({ verdict }) => WRONG.includes(verdict)) + strangers,
    kills,
    faults: faults.met,
  };
}

export const sumOf = (rows: readonly Counts[]): Counts =>
  rows.reduce((sum, row) => {
    const added = COUNTS.map((name) => [name, sum[name] + row[name]]);
    return Object.fromEntries(added);
  }, NONE);
const NONE: Counts = {
  posts: 0,
  published: 0,
  failed: 0,
  lost: 0,
  doubled: 0,
  stuck: 0,
  wrong: 0,
  kills: 0,
  faults: 0,
};

export const holds = ({ lost, doubled, stuck, wrong }: Counts): boolean => lost + doubled + stuck + wrong === 0;

/** `200 posts: 197 published, 3 failed with a reason; 0 lost, …`. */
export function sentenceOf(counts: Counts): string {
  const { posts, published, failed, lost, doubled, stuck, wrong, kills, faults } = counts;
  const broken = `${lost} lost, ${doubled} doubled, ${stuck} stuck, ${wrong} wrong`;
  return `${posts} posts: ${published} published, ${failed} failed with a reason; ${broken}; ${kills} kills, ${faults} faults met`;
}

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

/** The rows of the page as it is; none if it does not exist yet. */
export function rowsIn(page: string): readonly ProofRow[] {
  return [...page.matchAll(/^\| (\d{4}-\d\d-\d\d) \| (\S+) \| ([^|]+) \| (\d+) \|([\d |]+)\|$/gm)].map(
    ([, date = "", commit = "", versions = "", seed = "", numbers = ""]) => {
      const counts = numbers.split("|").map(Number);
      const own = Object.fromEntries(COUNTS.map((name, at) => [name, counts[at] ?? 0]));
      return { ...NONE, ...own, date, commit, versions, seed: Number(seed) };
    },
  );
}

export function proofPage(rows: readonly ProofRow[]): string {
  const sum = sumOf(rows);
  const runs = rows.map((row) => [row.date, row.commit, row.versions, row.seed, ...COUNTS.map((name) => row[name])]);
  return `<!-- Made by \`npm run proof\`: each run adds its row. -->
# Proof: each post exactly once, or a clear error

\`\`\`
npm run proof
\`\`\`

The command starts a service and a sandbox, connects two accounts of each platform, and publishes 500 posts of every kind on all of them. Meanwhile it
kills the service (SIGKILL) at random moments and lets the platforms accept a post and drop the answer, answer with errors, answer late, limit
the rate and end access tokens. Then it compares each post with what is live in the sandbox, and adds a row below. It takes five to fifteen minutes.
\`npm run proof -- --posts 10000\` is the long form: twenty such runs, each with its own seed.

**All runs below:** ${sentenceOf(sum)}.

| Column | Meaning |
| --- | --- |
| Published | shown as published, and live exactly once; every item of a thread too |
| Failed with a reason | shown as failed, with the reason. Nothing of it is live, or the reason says what may be live or which items of a thread are, and none is live twice |
| Lost | shown as published but not completely live, failed without a reason, or no longer known |
| Doubled | live more than once |
| Stuck | neither published nor failed at the end |
| Wrong | shown as failed but live, a thread out of order, or a live item of no post |
| Faults | injected faults that met a call |

${[line(HEADER), line(HEADER.map((_, at) => (at < 3 ? "---" : "---:"))), ...runs.map(line)].join("\n")}
`;
}
