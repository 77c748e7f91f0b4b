import type { Scope } from "../scripts/support/command.ts";
import type { Finding } from "../scripts/support/driver.ts";
import { dim, say } from "../scripts/support/terminal.ts";
import type { ListService } from "./list-service.ts";
import type { Load } from "./load.ts";
import { median, startLoader } from "./measure.ts";
import { limited } from "./promises.ts";

/**
 * Measures the list latency of one project, alone and under load. The load is four connections of another
 * project that read its deepest pages at full speed. Both projects share this machine's processor and
 * database. The promise still holds, because the service paces such pages by project (src/core/row-pace.ts).
 */

const ROUNDS = 5;
const RUN_SECONDS = 3;
const CONNECTIONS = 4;
const RISES_BY_LESS_THAN = 0.2;
const DEEPEST =
  "/api/v1/social/get-posts?channels=facebook,instagram,twitter,linkedin,youtube,tiktok&limit=50&page=200";
const OWN = "/api/v1/social/get-posts?channels=facebook&limit=10";

interface Neighboured {
  /** Medians in milliseconds, one per round. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  /** Deep pages per second served to the other project. */
  readonly deep: readonly number[];
}

export async function measureNeighbour(scope: Scope, service: ListService): Promise<Finding> {
  const [own, other] = [startLoader(scope), startLoader(scope)];
  const load = (path: string, tokens: readonly string[], connections: number): Load => ({
    port: service.port,
    method: "GET",
    body: undefined,
    requests: tokens.map((token) => ({ path, headers: { Authorization: `Bearer ${token}` } })),
    connections,
    seconds: RUN_SECONDS,
  });
  const neighbour = load(OWN, service.neighbourTokens, 1);
  const deep = load(DEEPEST, service.tokens.slice(0, CONNECTIONS), CONNECTIONS);
  await own.run(neighbour);
  const [alone, beside, pages]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await own.run(neighbour);
    alone.push(quiet.p50);
    const [loud, deepest] = await Promise.all([own.run(neighbour), other.run(deep)]);
    beside.push(loud.p50);
    pages.push((deepest.statuses[200] ?? 0) / RUN_SECONDS);
    say(dim(`  ${JSON.stringify({ quiet, loud, deepest })}`));
  }
  return checkNeighbour({ alone, beside, deep: pages });
}

function checkNeighbour({ alone, beside, deep }: Neighboured): Finding {
  const rise = median(beside.map((ms, round) => ms / (alone[round] ?? Number.NaN))) - 1;
  const found = `${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside: ${(rise * 100).toFixed(0)} %`;
  const rule = `< ${RISES_BY_LESS_THAN * 100} %, beside ${median(deep).toFixed(1)} deep pages a second`;
  // Without a served deep page there was no competing load.
  const holds = rise < RISES_BY_LESS_THAN && median(deep) >= 1;
  return limited("get-posts beside deep pages of another project", found, rule, holds);
}
