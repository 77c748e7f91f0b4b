import type { z } from "zod";
import type { Duplicate, Failure, FailureReason, Unknown } from "./context.ts";
import { down, possessive, throttled, unknown } from "./outcomes.ts";
import { type RefusalTable, readRefusal } from "./refusals.ts";
import { type Answered, type Lost, parseBody } from "./request.ts";

/**
 * What an answer means, in one vocabulary for all platforms. An adapter defines how its platform refuses
 * (`RefusalTable`).
 *
 * - An answer is evidence. Only a refusal that the platform documents, status and code together, proves that
 *   a non-repeatable call was not carried out. A 5xx never does, whatever code its body has.
 * - Only a body in one of the platform's own formats comes from the platform. Any other error comes from a
 *   gateway; the platform may have carried out the call or not.
 * - A success whose body cannot be parsed proves as little as a lost answer.
 */

/** The result of a call that may be repeated. */
export type ReadResult<T> = { readonly kind: "ok"; readonly value: T } | Failure;
/** The result of a call that must not be repeated blindly. `failed`: certainly not carried out. */
export type WriteResult<T> = ReadResult<T> | Unknown | Duplicate;

/** Interprets the answer to a call that must not be repeated: an unclear one stays unknown. */
export function interpretWrite<S extends z.ZodType>(
  table: RefusalTable,
  answer: Answered | Lost,
  schema: S,
  now: number,
): WriteResult<z.output<S>> {
  const result = interpretAnswer(table, answer, schema, now);
  if (answer.kind === "lost" || result.kind === "ok" || result.kind === "unknown") return result;
  return isProof(table, answer, now) ? result : from(result, unknown(result.message));
}

/** Attaches the answer to another outcome that was derived from it. */
function from<T extends Failure | Unknown>({ answer }: Failure | Unknown | Duplicate, outcome: T): T {
  return answer ? { ...outcome, answer } : outcome;
}

/** Whether a refusal proves that nothing was done. */
function isProof(table: RefusalTable, answer: Answered, now: number): boolean {
  const refusal = readRefusal(table, answer, now);
  return answer.status < 500 && (refusal === null || refusal.isDocumented);
}

function interpretAnswer<S extends z.ZodType>(
  table: RefusalTable,
  answer: Answered | Lost,
  schema: S,
  now: number,
): WriteResult<z.output<S>> {
  const result = interpret(table, answer, schema, now);
  return result.kind === "ok" || !answer.toRaw ? result : { ...result, answer: answer.toRaw() };
}

function interpret<S extends z.ZodType>(
  table: RefusalTable,
  answer: Answered | Lost,
  schema: S,
  now: number,
): WriteResult<z.output<S>> {
  const { title } = table;
  if (answer.kind === "lost") return unknown(`${possessive(title)} answer was lost: ${answer.message}`);
  const refusal = readRefusal(table, answer, now);
  if (refusal) return refusal.outcome;
  if (answer.status < 200 || answer.status > 299) return interpretPage(table, answer, now);
  const value = parseBody(schema, answer);
  return value === null ? unknown(`${title} returned a response that it does not document.`) : { kind: "ok", value };
}

/** The same for a call that may be repeated, reading or not: an unclear answer is a temporary failure. */
export function interpretRead<S extends z.ZodType>(
  table: RefusalTable,
  answer: Answered | Lost,
  schema: S,
  now: number,
): ReadResult<z.output<S>> {
  const result = interpretAnswer(table, answer, schema, now);
  if (result.kind === "ok") return result;
  const isTrouble = answer.kind === "answered" && answer.status >= 500;
  const isBelieved = result.kind === "failed" && !(isTrouble && ABOUT_US.has(result.reason));
  return isBelieved ? result : from(result, down(result.message));
}

/**
 * A server error says nothing about our credentials, permissions or app: with a 5xx these reasons are
 * ignored.
 */
const ABOUT_US: ReadonlySet<FailureReason> = new Set([
  "token_expired",
  "disconnected",
  "permission_missing",
  "blocked",
]);

function interpretPage(table: RefusalTable, { status, headers }: Answered, now: number): Failure | Unknown {
  const message = `${table.title} could not be reached: a gateway in between answered with status ${status}.`;
  if (status === 429) return throttled(message, table.waitSeconds(headers, now, null));
  return table.heldBack.includes(status) ? down(message) : unknown(message);
}
