import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_DATABASES } from "../src/db/databases.ts";
import { Refusal, readArguments, readSeed, readWhole, runCommand, type Scope } from "./support/command.ts";
import { conclude, countBroken, sayFindings } from "./support/driver.ts";
import { ROOT } from "./support/paths.ts";
import { databaseTable, extrapolation, rowOf, rowsIn, scalePage } from "./support/scale-page.ts";
import { runScale } from "./support/scale-run.ts";
import { say, table } from "./support/terminal.ts";
import { commitOf, versionOf } from "./support/versions.ts";

const USAGE = `npm run scale -- [--posts N] [--projects N] [--databases N] [--days N] [--watched N] [--seed N]

Lets days pass in minutes: the service's own code, on local databases, publishes posts of all kinds on all simulated platforms, and bots
watch one project in ten. Prints for each database its D1 calls, rows, sweeps and bytes, and what ten million posts a day would take. Each
run adds a row to docs/scale.md.

  --posts N      created and published, up to 1,000,000. Default: 500, in about nine minutes on two cores
  --projects N   that post, up to 2,000. Default: 200
  --databases N  that the projects live in. Default: 8
  --days N       that pass. Default: 10
  --watched N    one project in N has a bot. Default: 10
  --seed N       decides who posts what and when. Default: random

Exit 0 only if no post is lost, live twice, or live more than a minute after its time, and each comment has its answer.`;

const PAGE = join("docs", "scale.md");

async function scale(scope: Scope): Promise<number> {
  const given = readArguments({
    posts: { type: "string", default: "500" },
    projects: { type: "string", default: "200" },
    databases: { type: "string", default: "8" },
    days: { type: "string", default: "10" },
    watched: { type: "string", default: "10" },
    seed: { type: "string" },
  });
  const options = {
    posts: readWhole("posts", given.posts, 1_000_000),
    projects: readWhole("projects", given.projects, 2_000),
    databases: readWhole("databases", given.databases, MAX_DATABASES),
    days: readWhole("days", given.days, 60),
    watched: readWhole("watched", given.watched, 2_000),
    seed: readSeed(given.seed),
  };
  for (const [name, value] of Object.entries(options))
    if (value === 0 && name !== "seed") throw new Refusal(`--${name} must be at least 1.`);
  const versions = {
    date: new Date().toISOString().slice(0, 10),
    commit: await commitOf(PAGE),
    versions: `${process.versions.node}, ${versionOf("workerd")}`,
  };
  const scaled = await runScale(scope, options);
  const row = rowOf(options, scaled, versions);
  const path = join(ROOT, PAGE);
  const before = existsSync(path) ? rowsIn(readFileSync(path, "utf8")) : [];
  writeFileSync(path, scalePage([...before, row], scaled));
  const databases = databaseTable(scaled.used.databases);
  say(`\n${table(databases.header, databases.rows)}\n`);
  const lines = extrapolation(row);
  say(`${table(lines.header, lines.rows)}\n`);
  sayFindings(scaled.findings);
  say(
    `\nEach post took ${row.calls} D1 calls, ${row.read} rows read and ${row.written} written. ${PAGE} has the row of each run.`,
  );
  return conclude(scaled.run, countBroken(scaled.findings), `${options.posts} posts`);
}

await runCommand(USAGE, scale);
