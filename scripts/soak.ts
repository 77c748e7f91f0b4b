import {
  Refusal,
  readArguments,
  readChoices,
  readSeed,
  readWhole,
  runCommand,
  runPart,
  type Scope,
} from "./support/command.ts";
import { soakBoosts } from "./support/soak-boosts.ts";
import { soakComments } from "./support/soak-comments.ts";
import { soakCosts } from "./support/soak-costs.ts";
import { soakGenerations } from "./support/soak-generations.ts";
import { soakInsights } from "./support/soak-insights.ts";
import { soakPosts } from "./support/soak-posts.ts";
import { REALISMS } from "./support/world.ts";

/** The parts in their order, each with its standard and its greatest size. */
const PARTS = {
  posts: { run: soakPosts, standard: 200, most: 500 },
  comments: { run: soakComments, standard: 500, most: 2000 },
  generations: { run: soakGenerations, standard: 100, most: 100 },
  boosts: { run: soakBoosts, standard: 36, most: 300 },
  costs: { run: soakCosts, standard: 500, most: 1000 },
  insights: { run: soakInsights, standard: 200, most: 400 },
};
const NAMES = ["posts", "comments", "generations", "boosts", "costs", "insights"] as const;

/** What runs over several databases. */
const SPREAD = ["posts"] as const;
const MOST_DATABASES = 8;

const sizes = NAMES.map((name) => `--${name} N (${PARTS[name].standard}, up to ${PARTS[name].most})`).join(", ");

const USAGE = `npm run soak -- [--seed N] [--only PARTS] [--realism calm | production] [--databases N] [sizes]

Runs six parts, each at most ten minutes at its standard size. The service is killed (SIGKILL) meanwhile, and the simulated
platforms and models return faults. Sizes: ${sizes}.

  posts        are published on all platforms: each is live exactly once, or failed with a reason
  comments     are answered by bots: each exactly once by each of its bots, or with a reason
  generations  end as done or failed with a reason; each model is paid at most once, and each webhook is consistent
  boosts       are created, changed and deleted, as are their posts and channels: none runs twice, spends after it is shown as
               failed, deleted or completed, leaves anything then, or is shown with other spend than the platform's records
  costs        posts, answers and deletions on X cost by our count what the platform charges; a ceiling is never passed
  insights     of posts over thirty days, until ninety days after each: every number is what the platform's books say when it is read

--databases 3 runs the first part with a project in each of three databases. All have the same accounts, and one is moved
to another database in the middle.
--only takes names of parts, separated by commas. With --realism production the simulated platforms show all peculiarities
together (sandbox/README.md). Exit 0 only if everything holds.`;

async function soak(scope: Scope): Promise<number> {
  const options = readArguments({
    seed: { type: "string" },
    posts: { type: "string" },
    comments: { type: "string" },
    generations: { type: "string" },
    boosts: { type: "string" },
    costs: { type: "string" },
    insights: { type: "string" },
    only: { type: "string" },
    realism: { type: "string", default: "calm" },
    databases: { type: "string", default: "1" },
  });
  const realism = REALISMS.find((one) => one === options.realism);
  if (!realism) throw new Refusal(`--realism must be ${REALISMS.join(" or ")}, not "${options.realism}".`);
  const seed = readSeed(options.seed);
  const databases = Math.max(1, readWhole("databases", options.databases, MOST_DATABASES));
  const parts = readChoices("only", options.only, databases === 1 ? NAMES : SPREAD).map((name) => {
    const { run, standard, most } = PARTS[name];
    const count = readWhole(name, options[name] ?? String(standard), most);
    return (part: Scope) => run(part, { seed, count, realism, databases });
  });
  let worst = 0;
  for (const run of parts) worst = Math.max(worst, await runPart(scope, run));
  return worst;
}

await runCommand(USAGE, soak);
