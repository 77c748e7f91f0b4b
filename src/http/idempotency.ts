import { and, eq, type SQL } from "drizzle-orm";
import type { Context } from "hono";
import { z } from "zod";
import { AppError, invalid } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { must } from "../core/sentences.ts";
import { sha256Hex } from "../core/tokens.ts";
import { type Db, type IdempotencyRecord, isUniqueViolation, type ReplaceAnswer, writeTogether } from "../db/client.ts";
import type { AppEnv } from "./environment.ts";
import { idempotencyTable } from "./table.ts";

/**
 * `Idempotency-Key` (docs/decisions/0003): the key's row is written in the transaction that creates the
 * resource. Of two requests with one key, at any interval, one creates and the other returns the same
 * answer. An answer that expires may be replaced after it has expired.
 */
const Rows = z.array(z.object({ requestHash: z.string(), answer: z.string() }));

/** Thrown out of the verb by `IdempotencyRecord.check`; caught here. */
class Replay extends Error {
  readonly stored: string;
  constructor(stored: string) {
    super("The request was answered before.");
    this.stored = stored;
  }
}

/**
 * Runs a creating verb at most once per key of the header. `act` passes the record to its verb. `recall`
 * rebuilds the first answer from what the verb stored with the key, or replaces it by a new one. Without the
 * header, it only runs `act`.
 */
export async function idempotently<A>(
  c: Context<AppEnv>,
  body: unknown,
  act: (record: IdempotencyRecord | null) => Promise<A>,
  recall: Recall<A>,
): Promise<A> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return act(null);
  if (key.length < 1 || key.length > 255) {
    const sentence = must("Idempotency-Key", "have 1 to 255 characters", key.length);
    throw invalid({ "Idempotency-Key": [sentence] });
  }
  const { deps, caller, operationId } = c.var;
  const keyed = { db: deps.db, projectId: caller.projectId, key, operationId, body };
  const { answer, isReplay } = await onceForKey(keyed, act, recall);
  if (isReplay) c.header("Idempotency-Replayed", "true");
  return answer;
}

export type Recall<A> = (stored: string, replace: ReplaceAnswer) => A | Promise<A>;

export interface KeyedRequest {
  readonly db: Db;
  readonly projectId: ProjectId;
  readonly key: string;
  readonly operationId: string | undefined;
  readonly body: unknown;
}

/** The same for a key from elsewhere, such as a form. Errors: `idempotency_conflict`. */
export async function onceForKey<A>(
  { db, projectId, key, operationId, body }: KeyedRequest,
  act: (record: IdempotencyRecord) => Promise<A>,
  recall: Recall<A>,
): Promise<{ readonly answer: A; readonly isReplay: boolean }> {
  const requestHash = await sha256Hex(`${operationId} ${JSON.stringify(body)}`);
  const read = () =>
    db
      .select({ requestHash: idempotencyTable.requestHash, answer: idempotencyTable.answer })
      .from(idempotencyTable)
      .where(and(eq(idempotencyTable.projectId, projectId), eq(idempotencyTable.key, key)));
  const answerIn = (rows: unknown): string | null => {
    const [row] = Rows.parse(rows);
    if (!row || row.requestHash === requestHash) return row?.answer ?? null;
    throw conflict();
  };
  const check = (rows: unknown): void => {
    const stored = answerIn(rows);
    if (stored !== null) throw new Replay(stored);
  };
  const write = (answer: SQL | string) =>
    db.insert(idempotencyTable).values({
      projectId,
      key,
      requestHash,
      // An SQL expression is computed in the same transaction: the id of the new resource.
      answer: answer as string,
      createdAt: Date.now(),
    });
  const replace = async (stored: string, answer: string): Promise<string> => {
    // If the row was deleted meanwhile, it is written again.
    const put = write(answer).onConflictDoUpdate({
      target: [idempotencyTable.projectId, idempotencyTable.key],
      set: { answer, createdAt: Date.now() },
      setWhere: eq(idempotencyTable.answer, stored),
    });
    const { standing } = await writeTogether(db, { put, standing: read() });
    return answerIn(standing) ?? answer;
  };
  try {
    return { answer: await act({ read: read(), check, write }), isReplay: false };
  } catch (error) {
    const stored = error instanceof Replay ? error.stored : await answerOfWinner(error, read, answerIn);
    if (stored === null) throw error;
    let isReplay = true;
    const answer = await recall(stored, async (answer) => {
      const standing = await replace(stored, answer);
      isReplay = standing !== answer;
      return standing;
    });
    return { answer, isReplay };
  }
}

export type Claim =
  /** `answer` is null as long as the request has none. */
  | { readonly kind: "claimed_before"; readonly answer: string | null }
  | { readonly kind: "claimed"; keep(answer: string): Promise<void>; release(): Promise<void> };

/**
 * Claims a key before its request acts, for an act that cannot take the record into its transaction: it is
 * carried out at most once. Errors: `idempotency_conflict`.
 */
export async function claimKey({ db, projectId, key, operationId, body }: KeyedRequest): Promise<Claim> {
  const requestHash = await sha256Hex(`${operationId} ${JSON.stringify(body)}`);
  const own = and(eq(idempotencyTable.projectId, projectId), eq(idempotencyTable.key, key));
  const row = { projectId, key, requestHash, answer: UNANSWERED, createdAt: Date.now() };
  const { made, rows } = await writeTogether(db, {
    made: db.insert(idempotencyTable).values(row).onConflictDoNothing().returning({ key: idempotencyTable.key }),
    rows: db
      .select({ requestHash: idempotencyTable.requestHash, answer: idempotencyTable.answer })
      .from(idempotencyTable)
      .where(own),
  });
  if (made.length === 0) {
    const [stored] = Rows.parse(rows);
    if (stored && stored.requestHash !== requestHash) throw conflict();
    return { kind: "claimed_before", answer: stored?.answer || null };
  }
  return {
    kind: "claimed",
    keep: async (answer) => void (await db.update(idempotencyTable).set({ answer }).where(own)),
    release: async () => void (await db.delete(idempotencyTable).where(own)),
  };
}

const UNANSWERED = "";

function conflict(): AppError {
  return new AppError(
    "idempotency_conflict",
    "This Idempotency-Key was used with another request within the last 24 hours. Use a new key for a new request.",
  );
}

/** The stored answer, if another request with the same key committed first. */
async function answerOfWinner(
  error: unknown,
  read: () => Promise<unknown>,
  answerIn: (rows: unknown) => string | null,
): Promise<string | null> {
  return isUniqueViolation(error, "idempotency_keys") ? answerIn(await read()) : null;
}
