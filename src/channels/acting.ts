import { z } from "zod";
import { MINUTE } from "../core/time.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../deps.ts";
import { GiveUp } from "../jobs/once.ts";
import type { Journal } from "../jobs/steps.ts";
import type { AccountContext, Failure } from "../platforms/platform.ts";
import { accessChannel, renewRefused, stopChannel } from "./credentials.ts";
import { type Actor, type Channel, findChannelOfJob } from "./store.ts";

/**
 * Acting as a channel from a job: the one place where credentials and refusals become wait, renew, stop or give up.
 *
 * A *patient* job waits for a channel that only the person can mend, until its own deadline; the others end with the
 * reason, which tells the person so.
 */
export interface Acting {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly isPatient: boolean;
}

/** With the backoff of core/backoff.ts this is most of a day. */
const DOWN_TRIES = 20;
const BLOCKED_SECONDS = 15 * 60;
/** How often a patient job looks whether the channel works again; a reconnection wakes it at once. */
const RECONNECT_SECONDS = 10 * 60;
/** Refused this soon after this very job renewed them, renewing again would not help. */
const FRESH_MS = 10 * MINUTE;

const Renewed = z.object({ credentials: z.string(), at: z.number() });

/** The channel with usable credentials; else ends the delivery. */
export async function actAs(
  { deps, journal, isPatient }: Acting,
  actor: Actor | null,
): Promise<{ readonly channel: Channel; readonly context: AccountContext }> {
  const access = await accessChannel(deps, actor);
  switch (access.kind) {
    case "ready":
      return access;
    case "later":
      return journal.later(access.seconds, access.reason);
    case "reconnect_needed":
      return endOrWait(journal, isPatient, access.reason);
  }
}

/** Sorts a platform's refusal of an act called `at`: come back later, renew the credentials, stop the channel, or give up. */
export async function handleFailure(acting: Acting, channel: Channel, failure: Failure, at: string): Promise<never> {
  const { deps, journal, isPatient } = acting;
  const retry = failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
  switch (failure.reason) {
    case "rejected":
      throw new GiveUp(failure.message);
    case "throttled":
      return journal.laterWithBackoff(at, failure.message, retry);
    case "down":
      return journal.laterWithBackoff(at, failure.message, isPatient ? retry : { ...retry, maxTries: DOWN_TRIES });
    case "blocked":
      return journal.later(failure.retryAfterSeconds ?? BLOCKED_SECONDS, failure.message);
    case "disconnected":
      return endOrWait(journal, isPatient, await stopChannel(deps, channel, failure.message));
    case "token_expired":
      return renew(acting, channel, failure);
  }
}

async function renew({ deps, journal, isPatient }: Acting, channel: Channel, failure: Failure): Promise<never> {
  const mine = journal.read("renewed", Renewed);
  const refused = await sha256Hex(channel.credentials ?? "");
  // The platform refuses what it has just given: its word stands.
  if (mine?.credentials === refused && Date.now() - mine.at < FRESH_MS) {
    return endOrWait(journal, isPatient, await stopChannel(deps, channel, failure.message));
  }
  const renewal = await renewRefused(deps, channel, failure.message);
  if (renewal.kind === "reconnect_needed") return endOrWait(journal, isPatient, renewal.reason);
  if (renewal.kind === "later") return journal.later(renewal.seconds, renewal.reason);
  const current = await findChannelOfJob(deps.db, channel.id);
  await journal.write("renewed", { credentials: await sha256Hex(current?.credentials ?? ""), at: Date.now() });
  return journal.later(0, "The channel's credentials were renewed.");
}

function endOrWait(journal: Journal, isPatient: boolean, reason: string): never {
  if (isPatient) return journal.later(RECONNECT_SECONDS, reason);
  throw new GiveUp(reason);
}
