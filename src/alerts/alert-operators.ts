import { MINUTE } from "../core/time.ts";
import type { Deps } from "../service/deps.ts";
import type { AlertKind, AlertWay } from "./kinds.ts";
import { storeAlert } from "./store.ts";

/**
 * An isolate stores the same kind and subject once in this time: a platform that is down refuses each job.
 */
const STORED_EVERY_MS = MINUTE;

type AlertDeps = Pick<Deps, "config" | "directory" | "log" | "mailer" | "memory">;

/** The ways that are configured. */
export function waysOf({ config, mailer }: Pick<AlertDeps, "config" | "mailer">): readonly AlertWay[] {
  const { email, webhook } = config.alerts;
  return [...(email !== null && mailer !== null ? ["email" as const] : []), ...(webhook ? ["webhook" as const] : [])];
}

/**
 * Notifies the service's operators, at most once in a few hours about the same kind and subject. Never
 * throws: what it reports continues. `subject` has no content and no personal data.
 */
export async function alertOperators(deps: AlertDeps, kind: AlertKind, subject: string): Promise<void> {
  const ways = waysOf(deps);
  const now = Date.now();
  const key = `${kind} ${subject}`;
  if (ways.length === 0 || now - (deps.memory.alerted.get(key) ?? 0) < STORED_EVERY_MS) return;
  deps.memory.alerted.set(key, now);
  try {
    await storeAlert(deps.directory, ways, { kind, subject, now });
  } catch (error) {
    deps.log.error("alert_unstored", error, { kind });
  }
}
