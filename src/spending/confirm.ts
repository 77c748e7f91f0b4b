import { and, desc, eq, gt } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { sha256Hex } from "../core/tokens.ts";
import { requireStill, type Statement } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { isConfirmed, markUsed, openSpending, type Spending } from "./store.ts";
import { spendingRequestsTable as table } from "./table.ts";
import { codeOf } from "./terms.ts";

/**
 * Money needs a person: a token that was given to an agent spends only what a member confirmed in the
 * console, by whatever door it comes. The use cases that spend call this, and put the statements into the
 * transaction that spends: a confirmation is used once, and only together with its act.
 */
export interface PaidAct {
  /** The id of the operation. */
  readonly operation: string;
  /** What the person confirms, in our words. */
  readonly question: string;
  /** The parameters of the operation, as the person sees them. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Whether stored terms of this operation mean the same act. */
  readonly isSame: (terms: Readonly<Record<string, unknown>>) => boolean;
}

export interface Confirmation {
  /** Fails the batch unless the confirmation still holds. */
  readonly still: Statement;
  readonly used: Statement;
}

interface Asking {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly origin: string;
}

/**
 * The confirmation of an act; null for a caller that needs none. Errors: `confirmation_needed` with the
 * address where a person confirms or denies, until then; `quota_exceeded` if too many wait.
 */
export async function requireConfirmation(
  { deps, caller, origin }: Asking,
  act: PaidAct,
): Promise<Confirmation | null> {
  if (!caller.moneyNeedsPerson) return null;
  const { db } = deps;
  const now = Date.now();
  const known = await findSame(deps, caller, act, now);
  const request = known ?? (await open(deps, caller, act, now));
  if (request.state === "confirmed") {
    return { still: requireStill(db, isConfirmed(request.id, now)), used: markUsed(db, request.id, now) };
  }
  throw new AppError("confirmation_needed", sentenceOf(request, act, origin));
}

/** The newest one of this token that has not expired, whichever door opened it. */
async function findSame({ db }: Deps, { projectId, tokenId }: Caller, act: PaidAct, now: number) {
  const rows = await db
    .select()
    .from(table)
    .where(and(eq(table.projectId, projectId), eq(table.tokenId, tokenId), gt(table.expiresAt, now)))
    .orderBy(desc(table.createdAt), desc(table.id));
  return rows.find(({ terms: { operation, ...terms } }) => operation === act.operation && act.isSame(terms)) ?? null;
}

async function open({ db }: Deps, { projectId, tokenId }: Caller, act: PaidAct, now: number): Promise<Spending> {
  const { operation, question } = act;
  const terms = { operation, ...act.terms };
  const termsHash = await sha256Hex(JSON.stringify([projectId, tokenId, terms]));
  const opened = await openSpending(db, { projectId, tokenId, termsHash, question, terms }, now);
  if (opened) return opened;
  throw new AppError("quota_exceeded", "Too many requests to spend are open. A member answers them in the console.");
}

function sentenceOf({ id, projectId, state, termsHash }: Spending, { question }: PaidAct, origin: string): string {
  if (state === "denied") return "A person denied this, and nothing is spent.";
  if (state === "used")
    return "These terms were confirmed and used before. To spend again, wait an hour or change them.";
  const url = `${origin}/console/projects/${projectId}/spending/${id}`;
  return `Nothing is spent yet. ${question} Only a person can confirm it: open ${url}, compare the code ${codeOf(termsHash)}, and send the same request again after that.`;
}
