import type { RawAnswer } from "../core/failures.ts";
import type { AccountContext } from "../platforms/context.ts";
import type { Answered, Lost } from "../platforms/request.ts";

/** The outcomes of adapters. */
interface Outcome {
  readonly kind: string;
}

/**
 * One call of an adapter's method. A returned failure or unclear result carries the platform's answer. The
 * adapter sets it if it read a refusal from an answer; else it is the last answer that refused this call.
 */
export async function callPlatform<T extends Outcome>(
  { context }: { readonly context: AccountContext },
  call: (context: AccountContext) => Promise<T>,
): Promise<T> {
  let last: Answered | Lost | null = null;
  const outcome = await call({
    ...context,
    async send(request) {
      const answer = await context.send(request);
      if (last === null || isAgainst(answer) || !isAgainst(last)) last = answer;
      return answer;
    },
  });
  return withAnswer(outcome, last);
}

const DOUBTFUL: ReadonlySet<string> = new Set(["unknown", "duplicate", "unreadable", "unprepared"]);

function withAnswer<T extends Outcome>(outcome: T, last: Answered | Lost | null): T {
  if (last === null || ("answer" in outcome && outcome.answer)) return outcome;
  const isShown = isFailure(outcome) || (isAgainst(last) && (outcome.kind === "failed" || DOUBTFUL.has(outcome.kind)));
  const answer: RawAnswer | undefined = isShown ? last.toRaw?.() : undefined;
  return answer ? { ...outcome, answer } : outcome;
}

/**
 * A failure by the adapter's own judgement, without a refusing answer: for example, a video that could not be
 * processed. The user's own server is no platform.
 */
function isFailure(outcome: Outcome): boolean {
  if (outcome.kind === "broken") return true;
  return outcome.kind === "failed" && !("code" in outcome && outcome.code === "media_unreachable");
}

function isAgainst(answer: Answered | Lost): boolean {
  return answer.kind === "lost" || answer.status >= 400;
}
