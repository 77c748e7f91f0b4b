import {
  type ActiveLimit,
  activeLimit,
  type RateLimitKey,
  storeRateLimit,
  toActiveLimit,
} from "../channels/rate-limits.ts";
import type { Actor } from "../channels/store.ts";
import type { Act } from "../channels/table.ts";
import type { Journal } from "../jobs/journal.ts";
import { isRefused } from "../platforms/answers.ts";
import type { AccountContext } from "../platforms/context.ts";
import { type RawAnswer, toRawAnswer } from "../platforms/raw-answer.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Answered, CallRequest, Lost, Send } from "../platforms/request.ts";
import type { Deps } from "../service/deps.ts";

/**
 * What a delivery hears from its platform: which allowances are used up, and what was last said against what
 * it asked.
 */
export interface Hearing {
  readonly act: Act;
  readonly of: RateLimitKey;
  readonly send: Send;
  /** What keeps the act from being done now. */
  limitNow(): ActiveLimit | null;
  /** What was said last against what was asked; after `blame` what was said last, whatever it was. */
  refusal(): RawAnswer | null;
  /**
   * The adapter calls it a failure, though the answer does not show it: a video that could not be processed.
   */
  blame(): void;
  /** What was said until now is no answer to what is asked next. */
  forget(): void;
  /** The latest answer, for `recall` after other calls. */
  latest(): RawAnswer | null;
  /** From now on `refusal` returns this answer, whatever was called after it. */
  recall(answer: RawAnswer | null): void;
}

type Heard = readonly [CallRequest, Answered | Lost];

/** By the journal of its delivery: a wait, or an end, may come from anywhere below. */
const heardBy = new WeakMap<Journal, Hearing>();

/** What the platform said last in this delivery against what it was asked, for the event that tells of it. */
export function refusalIn(journal: Journal): RawAnswer | null {
  return heardBy.get(journal)?.refusal() ?? null;
}

export function hear(
  { deps, journal }: { readonly deps: Deps; readonly journal: Journal },
  { channel, project, limits }: Actor,
  act: Act,
  context: AccountContext,
): Hearing {
  const of: RateLimitKey = { platform: channel.platform, accountId: channel.accountId, isTest: project.isTest, act };
  const usedUp = findPlatform(channel.platform)?.usedUp;
  const { accessToken, refreshToken } = context.credentials;
  const secrets = [accessToken, refreshToken ?? "", context.app.secret];
  let limit = activeLimit(limits, act, Date.now());
  let last: Heard | null = null;
  let isBlamed = false;
  let recalled: RawAnswer | null = null;
  const hearing: Hearing = {
    act,
    of,
    async send(call) {
      const answer = await context.send(call);
      if (answer.kind === "lost" || answer.status >= 400 || last === null || !isAgainst(last[1])) last = [call, answer];
      const now = Date.now();
      const told = answer.kind === "answered" && answer.status < 400 ? (usedUp?.(call, answer, now) ?? null) : null;
      const standing = told && toActiveLimit(told, act, now);
      if (standing && standing.until > (limit?.until ?? 0)) {
        limit = standing;
        await tell(deps, of, standing);
      }
      return answer;
    },
    limitNow: () => (limit && limit.until > Date.now() ? limit : null),
    refusal: () => recalled ?? (last && (isBlamed || isAgainst(last[1])) ? toRawAnswer(...last, secrets) : null),
    blame() {
      isBlamed = true;
    },
    forget() {
      last = null;
      isBlamed = false;
      recalled = null;
    },
    latest: () => last && toRawAnswer(...last, secrets),
    recall(answer) {
      recalled = answer;
    },
  };
  heardBy.set(journal, hearing);
  return hearing;
}

function isAgainst(answer: Answered | Lost): boolean {
  return answer.kind === "lost" || answer.status >= 400 || isRefused(answer);
}

/** What was done is done: that others do not learn of it costs each of them one refusal. */
async function tell(deps: Deps, of: RateLimitKey, limit: ActiveLimit): Promise<void> {
  const { platform, act } = of;
  deps.log.event("limit_used_up", { platform, scope: limit.scope, act, until: new Date(limit.until).toISOString() });
  try {
    await storeRateLimit(deps.db, of, limit);
  } catch (error) {
    deps.log.error("limit_unstored", error, { platform });
  }
}
