import { idOf, type WebhookId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import type { Statement } from "../db/client.ts";
import { attempt } from "../deliveries/attempt.ts";
import { endAfter } from "../deliveries/patience.ts";
import { openSecrets } from "../deliveries/secrets.ts";
import { endOf, settleDelivery } from "../deliveries/store.ts";
import type { Try } from "../deliveries/stored.ts";
import type { Webhook } from "../deliveries/table.ts";
import type { Deps } from "../deps.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import { bodyOfDelivery, type DueDelivery, noteHealth, takeDue } from "./delivery-store.ts";
import { disable, selectWebhook } from "./store.ts";
import { endRetries, REHOOKS, RUN_MS, runWithRetries, TASK } from "./tasks.ts";

/**
 * Sends what did not arrive at a webhook again, when it is due, and what is replayed or a test: the recurring task `rehooks:<webhook>`. A
 * run takes a few at a time; one that dies leaves them free after a minute.
 */
export const webhookRetries: RecurringHandler<Deps> = { kind: REHOOKS, ...TASK, run };

/** More would wait for each other: the runtime opens six connections of an invocation at a time. */
const AT_ONCE = 5;

async function run(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const id = idOf<WebhookId>(Number(subject));
  const endsAt = Date.now() + RUN_MS;
  while (Date.now() < endsAt && !isNearlySpent(deps.meter)) {
    const [webhook] = await selectWebhook(deps.db, id);
    if (webhook?.state !== "enabled") break;
    const due = await takeDue(deps.db, id, Date.now(), AT_ONCE);
    if (due.length === 0) break;
    await sendAgain(deps, webhook, due);
  }
  // Its next time is set, or the task ended, in the transaction that looks at what waits: so none is missed.
  await runWithRetries(deps, id, [endRetries(deps.db, id, task.turn)], task.turn);
  return { kind: "stop" };
}

async function sendAgain(deps: Deps, webhook: Webhook, due: readonly DueDelivery[]): Promise<void> {
  const { db } = deps;
  const secrets = await openSecrets(deps, webhook.projectId, webhook, Date.now());
  const tried = await Promise.all(
    due.map(async (delivery) => {
      const body = bodyOfDelivery(delivery);
      if (body === null) return { delivery, last: null };
      const { messageId } = delivery;
      return { delivery, last: await attempt(deps, { url: webhook.url, messageId, body, secrets }) };
    }),
  );
  const now = Date.now();
  const settled = tried.map(({ delivery, last }) => settleDelivery(db, delivery, endOf(delivery, last, now), now));
  await runWithRetries(deps, webhook.id, [
    ...settled,
    ...afterAll(
      deps,
      webhook,
      tried.flatMap(({ last }) => last ?? []),
      now,
    ),
  ]);
}

/** What attempts at the same time say of the webhook: one that worked is enough. */
function afterAll({ db }: Deps, webhook: Webhook, tries: readonly Try[], now: number): readonly Statement[] {
  const [first] = tries;
  if (!first) return [];
  if (tries.some(({ error }) => error === null)) return [noteHealth(db, webhook.id, null)];
  const ends = tries.flatMap((last) => endAfter(last, webhook.failingSince) ?? []);
  const end = ends.includes("gone") ? "gone" : ends[0];
  return [noteHealth(db, webhook.id, first.at), ...(end ? disable(db, webhook, end, now) : [])];
}
