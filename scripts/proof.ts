import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, readSeed, readWhole, runCommand, runPart, type Scope } from "./support/command.ts";
import { ROOT } from "./support/paths.ts";
import { countsOf, holds, type ProofRow, proofPage, rowsIn, sentenceOf, sumOf } from "./support/proof-page.ts";
import { publishUnderFaults } from "./support/soak-posts.ts";
import { bold, mark, say } from "./support/terminal.ts";
import { commitOf, versionOf } from "./support/versions.ts";

const USAGE = `npm run proof -- [--posts N] [--seed N]

Publishes posts on all simulated platforms while the service is killed and the platforms return faults, compares each post with what
is live, and prints how many are published, failed with a reason, lost, doubled, stuck or wrong. Each run adds a row to docs/proof.md.

  --posts N   the number of posts, up to 100,000; more than 500 are several runs. Default: 500, in five to fifteen minutes
  --seed N    decides kills, faults and their order; each further run has the next number. Default: random

Exit 0 only if nothing is lost, doubled, stuck or wrong.`;

const MOST_OF_A_RUN = 500;
const PAGE = join(ROOT, "docs", "proof.md");

async function proof(scope: Scope): Promise<number> {
  const options = readArguments({ posts: { type: "string", default: "500" }, seed: { type: "string" } });
  const posts = readWhole("posts", options.posts, 100_000);
  const first = readSeed(options.seed);
  const versions = {
    commit: await commitOf("docs/proof.md"),
    versions: `${process.versions.node}, ${versionOf("workerd")}`,
  };
  const rows: ProofRow[] = [];
  for (let left = posts; left > 0; left -= MOST_OF_A_RUN) {
    const seed = first + rows.length;
    const count = Math.min(left, MOST_OF_A_RUN);
    const outcome = await runPart(scope, (part) => publishUnderFaults(part, "proof", { seed, count, realism: "calm" }));
    const row = { ...countsOf(outcome), ...versions, seed, date: new Date().toISOString().slice(0, 10) };
    rows.push(row);
    writeFileSync(PAGE, proofPage([...rowsIn(existsSync(PAGE) ? readFileSync(PAGE, "utf8") : ""), row]));
    say(`\n${mark(holds(row))} ${bold(sentenceOf(row))}, seed ${seed}.\n`);
  }
  const sum = sumOf(rows);
  const seeds = rows.length === 1 ? `seed ${first}` : `seeds ${first} to ${first + rows.length - 1}`;
  say(`${mark(holds(sum))} ${bold(sentenceOf(sum))}.`);
  say(`Belfry ${versions.commit}, Node ${process.versions.node}, workerd ${versionOf("workerd")}, ${seeds}.`);
  say("docs/proof.md has the row of each run.");
  return holds(sum) ? 0 : 1;
}

await runCommand(USAGE, proof);
