import { z } from "zod";
import type { Cause } from "../core/failures.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import type { Statement } from "../db/client.ts";
import type { HeldJob, JobHandler } from "../jobs/handler.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { APP_NAMES, type AppName } from "../platforms/apps.ts";
import type { Failure } from "../platforms/context.ts";
import { GRANT_PURPOSES, type GrantPurpose } from "../platforms/names.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { type Deps, inOthers } from "../service/deps.ts";
import { accountContext, unseal } from "./credentials.ts";
import { type ChannelEvent, channelEvents } from "./events.ts";
import { grantRules } from "./renewal.ts";
import { isLoginUsed, KEPT, REVOKE, REVOKE_LIMIT_MS } from "./revocations.ts";
import { type Actor, findActor } from "./store.ts";

/**
 * Revokes a disconnected channel's grants at the platform: the job `revoke:<channel id>`. Its journal keeps
 * the encrypted grants, stored by the transaction that disconnected the channel, until the job completes.
 * Revoking is idempotent. A login that another connected channel of any project uses is not revoked, nor is
 * one that the user repeated meanwhile. The channel stays disconnected even if the job fails.
 */
export const revokeJob: JobHandler<Deps> = {
  kind: REVOKE,
  queues: ["publish"],
  limitMs: () => REVOKE_LIMIT_MS,
  version: 1,
  isLasting: (step) => step.startsWith(KEPT),
  run,
  failed,
};

/** An unavailable platform is called again for most of a day. */
const TRIES = 20;

const Kept = z.object({ sealed: z.string(), login: z.string() });
type Kept = z.output<typeof Kept> & { readonly purpose: GrantPurpose };

function keptIn(journal: Journal): Kept[] {
  return GRANT_PURPOSES.flatMap((purpose) => {
    const kept = journal.read(`${KEPT}${purpose}`, Kept);
    return kept ? [{ ...kept, purpose }] : [];
  });
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const actor = await findActor(deps.db, idOf<ChannelId>(journal.job.subjectId));
  const revoked: ChannelEvent[] = [];
  for (const kept of actor ? keptIn(journal) : []) {
    if (actor && (await end(deps, journal, actor, kept))) {
      const message = `${actor.channel.name} (${actor.channel.platform}) was the last channel of its login, so the login was revoked at the platform.`;
      revoked.push({ type: "channel.revoked", message, detail: { grant: kept.purpose } });
    }
  }
  await journal.finish(withoutGrants(journal, channelEventsOf(deps, journal, revoked)));
}

/** Whether the grant was revoked now. */
async function end(deps: Deps, journal: Journal, actor: Actor, { purpose, sealed, login }: Kept): Promise<boolean> {
  const { channel } = actor;
  const rules = grantRules(channel.platform, purpose);
  const credentials = await unseal(deps, { channelId: channel.id, purpose }, sealed);
  if (!rules?.revoke || credentials === null) return false;
  const made = accountContext(deps, actor, rules, credentials);
  if (made.kind !== "ready") {
    if (made.kind === "later") return journal.retryLater(made.seconds, made.reason, made.code);
    throw new JobFailed(made.code, made.reason);
  }
  await journal.checkpoint();
  // Checked directly before the call: it may still revoke the login of a channel that connects during the
  // call.
  const sameApps = registeredAs(deps, actor, made.context.app.id);
  // The disconnected channel's own database first: it is where other channels of a login usually are.
  for (const { db } of [deps, ...inOthers(deps)]) {
    if (await isLoginUsed(db, actor, login, sameApps)) return false;
  }
  const outcome = await rules.revoke(made.context);
  if (outcome.kind === "failed") return refused(journal, outcome);
  deps.log.event("grant_revoked", { channelId: channel.id, platform: channel.platform, grant: purpose });
  return true;
}

/** An operator may use one app for several platforms; these share a user's permissions. */
function registeredAs({ config }: Deps, { project }: Actor, id: string): AppName[] {
  return APP_NAMES.filter((name) => config.appCredentials(name, project.isTest)?.id === id);
}

function refused(journal: Journal, failure: Failure): boolean {
  const { reason, message, retryAfterSeconds } = failure;
  const cause = { code: codeOf(failure), message };
  // The grant had already ended.
  if (reason === "token_expired" || reason === "disconnected") return true;
  if (reason !== "throttled" && reason !== "down") throw new JobFailed(cause.code, cause.message);
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return journal.retryWithBackoff("revoke", cause, { ...wait, maxRetries: TRIES });
}

function failed(deps: Deps, held: HeldJob, { code, message }: Cause, journal: Journal | null): Finish {
  const type = "channel.revocation_failed" as const;
  const event = { type, message: `${NOT_ENDED} ${message}`, detail: { error_code: code } };
  const events = channelEventsOf(deps, held, [event]);
  return journal ? withoutGrants(journal, events) : { writes: events };
}

const NOT_ENDED =
  "The channel is disconnected, but its login could not be revoked at the platform. The account owner can revoke it in the platform's settings.";

/** The kept grants are deleted when the job completes. */
function withoutGrants(journal: Journal, events: readonly Statement[]): Finish {
  return { writes: [...events, ...GRANT_PURPOSES.map((purpose) => journal.deletionOf(`${KEPT}${purpose}`))] };
}

function channelEventsOf(deps: Deps, { job, hasLease }: HeldJob, events: readonly ChannelEvent[]): Statement[] {
  const { projectId, subjectId } = job;
  const at = Date.now();
  return events.map((event) => channelEvents.insert(deps.db, { ...event, projectId, subjectId, at }, hasLease));
}
