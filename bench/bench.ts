import { join } from "node:path";
import { readArguments, readChoices, runCommand, runPart, type Scope } from "../scripts/support/command.ts";
import { countBroken, type Finding, note, sayFindings } from "../scripts/support/driver.ts";
import { buildWorker } from "../scripts/support/prepare.ts";
import { bold, dim, say, seconds } from "../scripts/support/terminal.ts";
import { temporaryDirectory } from "../scripts/support/world.ts";
import { measureCpu } from "./cpu.ts";
import { measureDeliveries } from "./deliveries.ts";
import { measureErasure } from "./erasure.ts";
import { bootListService } from "./list-service.ts";
import { measureLists } from "./lists.ts";
import { measureNeighbour } from "./neighbour.ts";
import { FIND_POST_AT_LEAST, GET_POSTS_AT_MOST } from "./promises.ts";
import { measureSpeed } from "./speed.ts";
import { measureVerbs } from "./verbs.ts";
import { measureWebhooks } from "./webhooks.ts";

const PARTS = ["lists", "neighbour", "verbs", "erasure", "deliveries", "webhooks", "cpu", "speed"] as const;

const USAGE = `npm run bench -- [--only <parts>]

  lists       Rows read by every list of the document, with 200,000 posts and bots, 100,000 comments, and 20,000 channels,
              conversations and files: page 1, the deepest pages from both ends, and cursors, without a filter, with each
              filter and with each two of them.
  neighbour   The median of a project's get-posts, alone and beside four connections of another project on its deepest pages.
  verbs       Rows read by verbs that write, in a project with 200,000 posts at rest.
  erasure     The median of a project's get-posts, alone and beside the deletion of a project with 500,000 posts.
  deliveries  D1 calls and rows of what is done without a request: a check for comments, a hundred comments taken in, an answer,
              a text that is written, a campaign that is made and checked.
  webhooks    Events a second that one project's own server gets, one in a request and up to a hundred, and what each takes.
  cpu         CPU time of the pure functions that read input, with the largest inputs that are accepted.
  speed       Requests per second, latencies and storage costs of the hot operations with 1,000 and 200,000 posts, beside a bare
              Hono worker that does one D1 read; all write a log line a request, as in production. Medians of short runs, taken
              in turn. Then publishing now, with an Idempotency-Key per request, and the heap of the isolate.

--only takes names of parts, separated by commas; without it, all run. Exit 1 when a page reads more rows than its limit, the
neighbour's median rises by 20 % or more (beside a deletion too), find-post makes less than ${FIND_POST_AT_LEAST} of the bare worker, get-posts with 200,000
posts takes more than ${GET_POSTS_AT_MOST} times as long as with 1,000, or anything else costs more than its limit.`;

async function bench(scope: Scope): Promise<number> {
  const options = readArguments({ only: { type: "string" } });
  const parts = readChoices("only", options.only, PARTS);
  const since = Date.now();
  say(bold("Belfry bench"));
  const directory = temporaryDirectory(scope);
  const script = await buildWorker("wrangler.toml", join(directory, "build", "service"));
  const findings: Finding[] = [];
  const measure = async (isWanted: boolean, part: (own: Scope) => Promise<readonly Finding[]>) => {
    if (isWanted) findings.push(...(await runPart(scope, part)));
  };
  const [lists, neighbour] = [parts.includes("lists"), parts.includes("neighbour")];
  await measure(lists || neighbour, async (own) => {
    const service = await bootListService(own, join(directory, "lists"), script);
    note({ since }, "lists filled");
    return [
      ...(neighbour ? [await measureNeighbour(own, service)] : []),
      ...(lists ? await measureLists(service) : []),
    ];
  });
  await measure(parts.includes("verbs"), (own) => measureVerbs(own, join(directory, "verbs"), script));
  await measure(parts.includes("erasure"), (own) => measureErasure(own, join(directory, "erasure"), script));
  await measure(parts.includes("deliveries"), measureDeliveries);
  await measure(parts.includes("webhooks"), measureWebhooks);
  await measure(parts.includes("cpu"), measureCpu);
  await measure(parts.includes("speed"), (own) => measureSpeed(own, directory, script));
  say();
  sayFindings(findings);
  say(dim(`\n${seconds(Date.now() - since)} in all.`));
  return countBroken(findings) === 0 ? 0 : 1;
}

await runCommand(USAGE, bench);
