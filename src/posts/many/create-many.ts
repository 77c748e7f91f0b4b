import { z } from "zod";
import type { Caller } from "../../core/caller.ts";
import { AppError, ERROR_CODES, type ErrorCode, type FieldErrors, summarize } from "../../core/errors.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { createTogether, type Planned } from "../create/create.ts";
import type { Created } from "../create/created.ts";
import type { LongText } from "../create/long-text.ts";
import { SlotAnswer } from "../timetable/due-time.ts";
import type { Item } from "./item-schema.ts";
import type { Mode } from "./many-schema.ts";

/** Why a post of many is refused. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors?: FieldErrors | undefined;
}

export type Outcome = Created | Refusal;

export const isCreated = (outcome: Outcome): outcome is Created => "id" in outcome;

/**
 * Creates many posts in one transaction, as create-post creates each: two D1 calls. `all_or_nothing` throws
 * one refusal for all; `each` returns the refusal of each. With the record, a repeat creates nothing; it is
 * written only if a post is created.
 */
export async function createMany(
  deps: Deps,
  caller: Caller,
  { items, mode, longText }: { readonly items: readonly Item[]; readonly mode: Mode; readonly longText: LongText },
  idempotency: IdempotencyRecord | null,
): Promise<readonly Outcome[]> {
  const outcomes = await createTogether({
    deps,
    caller,
    idempotency,
    longText,
    bodies: items.map(({ body }) => body),
    answerOf: (planned) => ({ results: planned.map(toStored) }),
    onRefused: mode === "each" ? () => undefined : refuseTogether,
  });
  return outcomes.map((outcome) => (outcome instanceof AppError ? toRefusal(outcome) : outcome));
}

export function toRefusal({ code, message, details: { errors } }: AppError): Refusal {
  return { code, message, ...(errors ? { errors } : {}) };
}

/** More sentences are of no use, and the answer must not be larger than the request. */
const MAX_SENTENCES = 100;

/**
 * One refusal for all refused posts, whose `errors` name the post and its field; a refusal that names no
 * field if there are only such.
 */
function refuseTogether(planned: readonly (Planned | AppError)[]): void {
  const refused = planned.flatMap((error, index) => (error instanceof AppError ? [{ error, index }] : []));
  const [first] = refused;
  if (!first) return;
  const named = refused.filter(({ error }) => error.details.errors !== undefined);
  if (named.length === 0) throw first.error;
  const sentences = named.flatMap(({ error, index }) =>
    Object.entries(error.details.errors ?? {}).map(([field, found]): [string, string[]] => {
      const post = `posts.${index}`;
      return [`${post}.${field}`, found.map((sentence) => `${post}: ${sentence}`)];
    }),
  );
  const errors: FieldErrors = Object.fromEntries(sentences.slice(0, MAX_SENTENCES));
  const code = named[0]?.error.code ?? first.error.code;
  // A post that may not be created is refused like any other field.
  throw new AppError(code, summarize(errors), { errors, ...(code === "permission_missing" ? { status: 422 } : {}) });
}

const StoredRefusal = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});
const StoredPlan = z.object({ slot: SlotAnswer.nullable(), warnings: z.array(z.string()) });
const StoredAnswer = z.object({ post_id: z.int(), results: z.array(z.union([StoredPlan, StoredRefusal])) });

function toStored(planned: Planned | AppError): Planned | Refusal {
  return planned instanceof AppError ? toRefusal(planned) : planned;
}

/** The outcomes of a repeated request. The ids of its posts end with the stored one. */
export function recallMany(stored: string): readonly Outcome[] {
  const { post_id: last, results } = StoredAnswer.parse(JSON.parse(stored));
  let id = last - results.filter((result) => "slot" in result).length;
  return results.map((result): Outcome => {
    if (!("slot" in result)) return result;
    id += 1;
    return { id: idOf<PostId>(id), ...result };
  });
}
