import type { Scope } from "../scripts/support/command.ts";
import { dim, say } from "../scripts/support/terminal.ts";
import type { ListService } from "./list-service.ts";
import type { Load } from "./load.ts";
import { median, startLoader } from "./measure.ts";
import type { Promised } from "./promises.ts";

/**
 * What one project's list takes alone, and while four connections of another project read its deepest pages
 * as fast as they are answered. Both share the processor and the one database of this machine, and the
 * promise is held all the same: the service paces such pages by project (src/core/row-pace.ts), and the four
 * wait.
 */

const ROUNDS = 5;
const RUN_SECONDS = 3;
const CONNECTIONS = 4;
const RISES_BY_LESS_THAN = 0.2;
const DEEPEST =
  "/api/v1/social/get-posts?channels=facebook,instagram,twitter,linkedin,youtube,tiktok&limit=50&page=200";
const OWN = "/api/v1/social/get-posts?channels=facebook&limit=10";

export interface Neighboured {
  /** Medians in milliseconds, a round each. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  /** How many deep pages a second the other project was answered. */
  readonly deep: readonly number[];
}

export async function measureNeighbour(scope: Scope, service: ListService): Promise<Neighboured> {
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
  return { alone, beside, deep: pages };
}

export function checkNeighbour({ alone, beside, deep }: Neighboured): readonly Promised[] {
  const rise = median(beside.map((ms, round) => ms / (alone[round] ?? Number.NaN))) - 1;
  return [
    {
      name: "get-posts beside deep pages of another project",
      found: `${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside: ${(rise * 100).toFixed(0)} %`,
      rule: `< ${RISES_BY_LESS_THAN * 100} %, beside ${median(deep).toFixed(1)} deep pages a second`,
      // Where no deep page was answered, there was nothing beside.
      holds: rise < RISES_BY_LESS_THAN && median(deep) >= 1,
    },
  ];
}
