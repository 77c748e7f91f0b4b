import { isoUtc } from "../core/time.ts";
import type { Message } from "../mail/mailer.ts";
import { ALERTS, type AlertKind } from "./kinds.ts";
import type { OperatorAlert } from "./table.ts";

/** What happened, as it is notified. */
export type Notified = Pick<OperatorAlert, "kind" | "subject" | "firstAt" | "lastAt">;

/** The webhook's body; its form is that of the projects' webhooks. */
export function alertBody(alerts: readonly Notified[], now: number): string {
  return JSON.stringify({
    type: "operator.alert",
    timestamp: isoUtc(now),
    data: {
      alerts: alerts.map(({ kind, subject, firstAt, lastAt }) => ({
        event: kind,
        subject,
        message: ALERTS[kind].says(subject),
        fix: ALERTS[kind].fix,
        first_at: isoUtc(firstAt),
        last_at: isoUtc(lastAt),
      })),
    },
  });
}

/** The same as an e-mail in plain text. `origin`: the public address; null if it is not known. */
export function alertMail(alerts: readonly Notified[], { to, origin }: { to: string; origin: string | null }): Message {
  const kinds = [...new Set(alerts.map(({ kind, subject }) => titleOf(kind, subject)))];
  const lines = alerts.flatMap(({ kind, subject, firstAt, lastAt }) => [
    `- ${kind}: ${ALERTS[kind].says(subject)}`,
    `  ${ALERTS[kind].fix}`,
    `  ${isoUtc(firstAt)}${lastAt > firstAt ? ` to ${isoUtc(lastAt)}` : ""}`,
    "",
  ]);
  const pages = origin === null ? [] : [`The operator's pages: ${origin}/console/operator`];
  return { to, subject: `Belfry: ${kinds.join(", ")}`.slice(0, MOST_SUBJECT), text: [...lines, ...pages].join("\n") };
}
const MOST_SUBJECT = 150;

const titleOf = (kind: AlertKind, subject: string): string => (subject === "" ? kind : `${kind} (${subject})`);
