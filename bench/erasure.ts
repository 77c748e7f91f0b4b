import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { operatorOf } from "../scripts/support/api.ts";
import type { Scope } from "../scripts/support/command.ts";
import type { Finding } from "../scripts/support/driver.ts";
import { dim, say } from "../scripts/support/terminal.ts";
import { startCron } from "../scripts/support/workers.ts";
import { fillResting } from "./fill-resting.ts";
import type { Load } from "./load.ts";
import { median, startLoader } from "./measure.ts";
import { limited } from "./promises.ts";
import { bootService } from "./service.ts";

/** Measures one project's list beside the deletion of another one that has half a million posts. */
const POSTS = 250_000;
const AT_REST = 250_000;
const OWN = "/api/v1/social/get-posts?channels=facebook&limit=10";
const QUIET_RUNS = 5;
const RUN_SECONDS = 3;
const TOKENS = 8;
const AT_MOST = 1.2;
/** Until the rows go, it waits for caches of tokens; then it takes about as long. */
const MOST_MS = 15 * 60_000;

export async function measureErasure(scope: Scope, directory: string, script: string): Promise<readonly Finding[]> {
  const { service, issue, key } = await bootService(scope, directory, script);
  const { origin, port } = service;
  const tokens = await issue("Beside", TOKENS);
  await issue("Erased", 1);
  await fillResting(join(directory, "service"), [
    { project: "Beside", posts: 1_000, atRest: 0 },
    { project: "Erased", posts: POSTS, atRest: AT_REST },
  ]);
  const loader = startLoader(scope);
  const load: Load = {
    port,
    method: "GET",
    body: undefined,
    connections: 1,
    seconds: RUN_SECONDS,
    requests: tokens.map((token) => ({ path: OWN, headers: { Authorization: `Bearer ${token}` } })),
  };
  await loader.run(load);
  const alone: number[] = [];
  for (let run = 0; run < QUIET_RUNS; run++) alone.push((await loader.run(load)).p50);
  const operator = operatorOf(origin, key);
  scope.defer(startCron(origin, (message) => say(dim(message)), 5_000));
  const [erased] = await operator.findProjects({ project: "Erased" });
  if (!erased) throw new Error("The project to delete does not exist.");
  const { id } = erased;
  await operator.deleteProject({ id, delete_posts: false, revoke_logins: false });
  const beside: number[] = [];
  const since = Date.now();
  let isGone = false;
  while (!isGone && Date.now() - since < MOST_MS) {
    const { p50 } = await loader.run(load);
    const { step, is_gone } = await operator.projectDeletion({ id });
    say(dim(`  ${step}: ${p50.toFixed(2)} ms`));
    // What waits loads nothing.
    if (["posts", "settling", "rows"].includes(step)) beside.push(p50);
    isGone = is_gone;
    await sleep(100);
  }
  const rise = median(beside) / median(alone);
  const found = `${median(alone).toFixed(2)} ms alone, ${median(beside).toFixed(2)} ms beside: × ${rise.toFixed(2)}`;
  const rule = `≤ × ${AT_MOST}, ${POSTS + AT_REST} posts deleted`;
  return [limited("get-posts beside a deletion", found, rule, isGone && rise <= AT_MOST)];
}
