import { Webhook as Signer } from "standardwebhooks";
import { type AnswerProblem, answerProblem } from "../core/answer-problems.ts";
import type { Deps } from "../service/deps.ts";
import type { Try } from "./stored.ts";

/** One attempt to deliver one message: signs it, sends it, and returns the result. */

export interface Outgoing {
  readonly url: string;
  readonly messageId: string;
  readonly body: string;
  /** Each secret signs the message; null if they cannot be decrypted. */
  readonly secrets: readonly string[] | null;
}

/** The stored length of a response body. */
const KEPT_BYTES = 1024;
const UNSIGNED = answerProblem("unsigned");

/** Never throws. Anything but a 2xx status within the time limit is a failure. */
export async function attempt(deps: Pick<Deps, "guardedPost" | "config">, outgoing: Outgoing): Promise<Try> {
  const { url, messageId, body, secrets } = outgoing;
  const at = Date.now();
  if (secrets === null) return { at, ms: 0, status: null, answer: null, problem: UNSIGNED };
  const signatures = secrets.map((secret) => new Signer(secret).sign(messageId, new Date(at), body));
  const answer = await deps.guardedPost(url, {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Belfry/1.0",
      "webhook-id": messageId,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": signatures.join(" "),
    },
    timeoutMs: deps.config.webhookLimitMs,
    maxBytes: KEPT_BYTES,
  });
  const ms = Date.now() - at;
  if (answer.kind !== "answered") return { at, ms, status: null, answer: null, problem: answer.problem };
  return { at, ms, status: answer.status, answer: answer.body, problem: problemOf(answer.status) };
}

function problemOf(status: number): AnswerProblem | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return answerProblem("gone", status);
  return status >= 300 && status < 400 ? answerProblem("redirects", status) : answerProblem("answers", status);
}
