import type { ProjectId, WebhookId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { takeTold } from "../events/told.ts";
import { sendClaimed } from "../jobs/recurring.ts";
import { claimNamed } from "../jobs/recurring-store.ts";
import { listEnabled } from "./store.ts";
import { claimedUntil, HOOKS, TASK } from "./tasks.ts";

/** How long an isolate goes by what it has read of who has webhooks: those that are newer wait for the sweep. */
const KEEP_MS = 30 * SECOND;
const MOST = 10_000;

/**
 * Has the webhooks of projects told at once of what this invocation has told, instead of by the sweep within a minute: at its end. A
 * project without webhooks costs nothing here, but for a read of who has some, each half minute an isolate. Never throws.
 */
export async function wakeWebhooks(deps: Deps): Promise<void> {
  const projects = takeTold(deps.db);
  if (projects.length === 0) return;
  try {
    const known = await deps.memory.webhooks.get(async () => ({ value: await readEnabled(deps), keepMs: KEEP_MS }));
    const keys = projects.flatMap((id) => (known.get(id) ?? []).map((webhook) => `${HOOKS}:${webhook}`));
    if (keys.length === 0) return;
    const now = Date.now();
    const [rows] = await runBatch(deps.db, [claimNamed(deps.db, keys, now, claimedUntil(now))]);
    await sendClaimed(deps, TASK, rows);
  } catch (error) {
    deps.log.error("webhooks_unwoken", error);
  }
}

async function readEnabled({ db }: Deps): Promise<ReadonlyMap<ProjectId, readonly WebhookId[]>> {
  const byProject = Map.groupBy(await listEnabled(db, MOST), ({ projectId }) => projectId);
  return new Map([...byProject].map(([projectId, webhooks]) => [projectId, webhooks.map(({ id }) => id)]));
}
