import { join } from "node:path";
import { Refusal, readArguments, runCommand, runPart, type Scope } from "../scripts/support/command.ts";
import { buildWorker } from "../scripts/support/prepare.ts";
import { bold, dim, mark, say, seconds } from "../scripts/support/terminal.ts";
import { temporaryDirectory } from "../scripts/support/world.ts";
import { measureCpu } from "./cpu.ts";
import { deliveryTable, measureDeliveries } from "./deliveries.ts";
import { bootListService, type ListService } from "./list-service.ts";
import { checkLists, listTable, measureLists } from "./lists.ts";
import { checkNeighbour, measureNeighbour } from "./neighbour.ts";
import { checkDeliveries, FIND_POST_AT_LEAST, GET_POSTS_AT_MOST, type Promised } from "./promises.ts";
import { measureSpeed } from "./speed.ts";

const PARTS = ["lists", "neighbour", "deliveries", "cpu", "speed"] as const;
type Part = (typeof PARTS)[number];

const USAGE = `npm run bench -- [--only <parts>] [--no-fail]

  lists       Rows read by every list of the document, with 200,000 posts, 200,000 bots and 20,000 channels: page 1, the deepest
              pages from both ends, and cursors, without a filter, with each filter and with each two of them.
  neighbour   The median of a project's get-posts, alone and beside four connections of another project on its deepest pages.
  deliveries  D1 calls and rows of what is done without a request: a check for comments, a hundred comments taken in, an answer,
              a text that is written, a campaign that is made and checked.
  cpu         CPU time of the pure functions that read input, with the largest inputs that are accepted.
  speed       Requests per second, latencies and storage costs of the hot operations with 1,000 and 200,000 posts, beside a bare
              Hono worker that does one D1 read; all write a log line a request, as in production. Medians of short runs, taken
              in turn.

--only takes names of parts, separated by commas; without it, all run. Exit 1 when a page reads more rows than its limit, the
neighbour's median rises by 20 % or more, find-post makes less than ${FIND_POST_AT_LEAST} of the bare worker, get-posts with 200,000
posts takes more than ${GET_POSTS_AT_MOST} times as long as with 1,000, or anything else costs more than its limit in bench/promises.ts.`;

async function bench(scope: Scope): Promise<number> {
  const options = readArguments({ "no-fail": { type: "boolean" }, only: { type: "string" } });
  const parts = readParts(options.only);
  const since = Date.now();
  say(bold("Belfry bench"));
  const directory = temporaryDirectory(scope);
  const script = await buildWorker("wrangler.toml", join(directory, "build", "service"));
  const promises: Promised[] = [];
  if (parts.includes("lists") || parts.includes("neighbour")) {
    const found = await runPart(scope, async (own) => {
      const service = await bootListService(own, join(directory, "lists"), script);
      say(dim(`Lists filled after ${seconds(Date.now() - since)}.`));
      return measureOnLists(own, parts, service);
    });
    promises.push(...found);
  }
  if (parts.includes("deliveries")) {
    const delivered = await runPart(scope, measureDeliveries);
    say(`\n${deliveryTable(delivered)}`);
    promises.push(...checkDeliveries(delivered));
  }
  if (parts.includes("cpu")) promises.push(...(await runPart(scope, measureCpu)));
  if (parts.includes("speed")) promises.push(...(await runPart(scope, (own) => measureSpeed(own, directory, script))));
  say();
  for (const { name, found, rule, holds } of promises)
    say(`  ${mark(holds)} ${name.padEnd(44)} ${found}  ${dim(`(${rule})`)}`);
  say(dim(`\n${seconds(Date.now() - since)} in all.`));
  return promises.every(({ holds }) => holds) || options["no-fail"] ? 0 : 1;
}

async function measureOnLists(
  scope: Scope,
  parts: readonly Part[],
  service: ListService,
): Promise<readonly Promised[]> {
  const promises: Promised[] = [];
  if (parts.includes("neighbour")) promises.push(...checkNeighbour(await measureNeighbour(scope, service)));
  if (parts.includes("lists")) {
    const read = await measureLists(service);
    say(`\n${listTable(read)}`);
    promises.push(...checkLists(read));
  }
  return promises;
}

function readParts(only: string | undefined): readonly Part[] {
  if (only === undefined) return PARTS;
  const named = only.split(",");
  const unknown = named.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new Refusal(`--only must name ${PARTS.join(", ")}, not "${unknown}".`);
  return PARTS.filter((part) => named.includes(part));
}

await runCommand(USAGE, bench);
