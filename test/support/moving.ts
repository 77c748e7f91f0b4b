import { env } from "cloudflare:workers";
import { z } from "zod";
import { advance } from "./clock.ts";
import { databases } from "./databases.ts";
import { cron, queuesIdle } from "./queue.ts";
import { SECOND } from "./times.ts";
import { call, type Project } from "./world.ts";

/** Moves of projects between databases, as `npm run project -- --move` asks for them. */
const headers = { "X-Operator-Key": env.OPERATOR_KEY };
const View = z.object({
  move: z.object({ step: z.string(), is_served: z.boolean(), is_undone: z.boolean(), rows: z.number() }),
});

export function requestMove(project: Project, wanted: { readonly to?: number; readonly undo?: true } = {}) {
  return call("POST", "/internal/projects/move", { headers, body: { project: project.name, ...wanted } });
}

const moveOf = async (project: Project) => View.parse((await requestMove(project)).body).move;

/** Lets time pass until the move is in one of these steps. */
export async function untilStep(project: Project, ...steps: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    if (steps.includes((await moveOf(project)).step)) return;
    await advance(20 * SECOND);
    await cron();
    await queuesIdle(SECOND);
  }
  throw new Error(`The move stays at ${(await moveOf(project)).step}, not at ${steps.join(" or ")}.`);
}

/** The fences that are up, by database. */
export async function fences(): Promise<readonly number[]> {
  const query =
    "SELECT count(*) AS count FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'moving!_%' ESCAPE '!'";
  return Promise.all(databases().map(async (one) => (await one.prepare(query).first<number>("count")) ?? 0));
}
