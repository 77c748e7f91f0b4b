import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import { attempt } from "../deliveries/attempt.ts";
import { nextAttemptAt } from "../deliveries/retry-schedule.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { Deps } from "../service/deps.ts";
import { waysOf } from "./alert-operators.ts";
import { ALERTS, type AlertKind, type AlertWay } from "./kinds.ts";
import { alertBody, alertMail } from "./messages.ts";
import { findDueAlerts, markNotified, stopIfIdle } from "./store.ts";

/**
 * Notifies operators: the recurring tasks `alert:email` and `alert:webhook`, which exist while something
 * waits. A message is stored before it is sent, so each attempt sends the same one, with the same id. A
 * webhook is signed and repeated like those of projects (deliveries/), an e-mail by the same schedule. One
 * message has everything that is due, and the next follows after five minutes at the earliest.
 */
export const alerts: RecurringHandler<Deps> = { kind: "alert", queue: "hooks", run };

const GAP_MS = 5 * MINUTE;

const Kind = z.custom<AlertKind>((value) => typeof value === "string" && value in ALERTS);
/** The message that is being sent; an empty state is none. */
const Sending = z.object({
  id: z.string(),
  at: z.number(),
  attempts: z.int(),
  alerts: z.array(z.object({ kind: Kind, subject: z.string(), firstAt: z.number(), lastAt: z.number() })),
});
type Sending = z.output<typeof Sending>;

async function run(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const way: AlertWay = subject === "email" ? "email" : "webhook";
  // No longer configured: what waits is dropped with the task.
  if (!waysOf(deps).includes(way)) return { kind: "stop" };
  const sending = Sending.safeParse(JSON.parse(task.state || "null")).data;
  return sending ? send(deps, way, sending) : collect(deps, way);
}

/** Stores the next message, which the next run sends at once. */
async function collect({ db }: Deps, way: AlertWay): Promise<Recurrence> {
  const now = Date.now();
  const due = await findDueAlerts(db, way, now);
  // What waits for its six hours does not hold up another kind: the next look is after the gap.
  if (due.length === 0) return { kind: "again", afterMs: GAP_MS, state: "", writes: [stopIfIdle(db, way)] };
  const notified = due.map(({ kind, subject, firstAt, lastAt }) => ({ kind, subject, firstAt, lastAt }));
  const next: Sending = { id: `alert_${crypto.randomUUID()}`, at: now, attempts: 0, alerts: notified };
  return { kind: "again", afterMs: 0, state: JSON.stringify(next), isPrompt: true };
}

async function send(deps: Deps, way: AlertWay, sending: Sending): Promise<Recurrence> {
  const attempts = sending.attempts + 1;
  const isSent = await (way === "email" ? sendMail(deps, sending) : sendWebhook(deps, sending));
  const now = Date.now();
  const nextAt = isSent ? null : nextAttemptAt(attempts, now);
  if (nextAt !== null) return { kind: "again", afterMs: nextAt - now, state: JSON.stringify({ ...sending, attempts }) };
  // Sent, or given up: what is still wrong happens again, and is then notified again.
  // The task lives on for the gap: what happens meanwhile waits for it, and an idle one ends afterwards.
  return { kind: "again", afterMs: GAP_MS, state: "", writes: markNotified(deps.db, way, sending.alerts, now) };
}

async function sendMail({ mailer, config, log }: Deps, { alerts }: Sending): Promise<boolean> {
  const to = config.alerts.email;
  if (!mailer || to === null) return false;
  try {
    await mailer.send(alertMail(alerts, { to, origin: config.publicOrigin }));
    return true;
  } catch (error) {
    log.error("mail_not_sent", error, { about: "alert" });
    return false;
  }
}

async function sendWebhook(deps: Deps, { id, at, alerts }: Sending): Promise<boolean> {
  const { webhook } = deps.config.alerts;
  if (!webhook) return false;
  const { url, secret } = webhook;
  const tried = await attempt(deps, { url, messageId: id, body: alertBody(alerts, at), secrets: [secret] });
  if (tried.problem !== null)
    deps.log.audit("alert_not_delivered", { status: tried.status, problem: tried.problem.kind });
  return tried.problem === null;
}
