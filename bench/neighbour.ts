import type { Scope } from "../scripts/support/command.ts";
import { dim, say } from "../scripts/support/terminal.ts";
import type { ListService } from "./list-service.ts";
import type { Load } from "./load.ts";
import { median, startLoader } from "./measure.ts";
import type { Promised } from "./promises.ts";

/** What one project's list takes while another project reads its deepest pages as fast as it may. */

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
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await own.run(neighbour);
    alone.push(quiet.p50);
    const [loud, deepest] = await Promise.all([own.run(neighbour), other.run(deep)]);
    beside.push(loud.p50);
    say(dim(`  ${JSON.stringify({ quiet, loud, deepest })}`));
  }
  return { alone, beside };
}

export function checkNeighbour({ alone, beside }: Neighboured): readonly Promised[] {
  const rise = median(beside.map((ms, round) => ms / (alone[round] ?? Number.NaN))) - 1;
  return [
    {
      name: "get-posts beside deep pages of another project",
      found: `${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside: ${(rise * 100).toFixed(0)} %`,
      rule: `< ${RISES_BY_LESS_THAN * 100} %`,
      holds: rise < RISES_BY_LESS_THAN,
    },
  ];
}
