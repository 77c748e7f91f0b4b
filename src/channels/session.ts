import { z } from "zod";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { HOUR, SECOND } from "../core/time.ts";
import { sha256Hex } from "../core/tokens.ts";
import { type Companion, runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { PlatformName } from "../platforms/names.ts";
import { type Progress, selectOpenChoices, selectProgress } from "./connect-store.ts";
import { type ConnectToken, mintConnectToken, readConnectToken, SESSION_SECONDS } from "./connect-token.ts";

/**
 * The connection session (spec 2.3). Who connects and where they return to is in KV under `connect:<token hash>`,
 * written once; what they have done so far is a row in D1, for pollers must see it at once.
 */

/** Longer than the session lives: an expired page can still lead back to the application. */
const RECORD_SECONDS = SESSION_SECONDS + HOUR / SECOND;

const SessionRecord = z.object({
  isTest: z.boolean(),
  userRef: z.string(),
  returnUrl: z.string().nullable(),
});
type SessionRecord = z.output<typeof SessionRecord>;

export interface Session extends SessionRecord {
  readonly token: ConnectToken;
}

/**
 * Starts a session and gives its token; nothing is in D1 until the person does something, but for the companion's record,
 * which holds the token sealed.
 */
export async function openSession(
  deps: Deps,
  caller: Caller,
  { userId, redirectUrl }: { readonly userId: string; readonly redirectUrl?: string | undefined },
  companion: Companion | null,
): Promise<string> {
  if (companion) {
    const [rows] = await runBatch(deps.db, [companion.read]);
    companion.check(rows);
  }
  const token = await mintConnectToken(deps.config.signingKey, caller.projectId, Date.now());
  const record: SessionRecord = { isTest: caller.isTest, userRef: userId, returnUrl: redirectUrl ?? null };
  await deps.kv.put(kvKey(await sha256Hex(token)), JSON.stringify(record), { expirationTtl: RECORD_SECONDS });
  if (companion) {
    const sealed = await deps.sealer.seal(token, answerContext(caller));
    await runBatch(deps.db, [companion.write(sealed)]);
  }
  return token;
}

/** The token that an earlier request with the same `Idempotency-Key` was given. */
export async function recallSession(deps: Deps, caller: Caller, sealed: string): Promise<string> {
  const token = await deps.sealer.open(sealed, answerContext(caller));
  if (token !== null) return token;
  throw new AppError("idempotency_conflict", "The first answer can no longer be given. Use a new Idempotency-Key.");
}

const answerContext = ({ projectId }: Caller): string => `connect-answer:${projectId}`;

export type SessionStatus =
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" }
  | { readonly kind: "open"; readonly token: ConnectToken; readonly progress: Progress | null };

/** What a poller may know: one D1 call, always, for KV could be a minute behind. */
export async function connectStatus(deps: Deps, { projectId }: Caller, text: string): Promise<SessionStatus> {
  const token = await readConnectToken(deps.config.signingKey, text);
  if (token?.projectId !== projectId) return { kind: "unknown" };
  if (token.expiresAt <= Date.now()) return { kind: "expired" };
  const [progress = null] = await selectProgress(deps.db, token.hash);
  return { kind: "open", token, progress };
}

export type FoundSession =
  | { readonly kind: "unknown" }
  | { readonly kind: "expired"; readonly token: ConnectToken; readonly returnUrl: string | null }
  /** KV has not got it here yet. */
  | { readonly kind: "unready"; readonly token: ConnectToken }
  | {
      readonly kind: "open";
      readonly session: Session;
      /** Null until something was chosen. */
      readonly progress: Progress | null;
      /** Logins that wait for the person to tick accounts. */
      readonly choices: readonly { readonly platform: PlatformName; readonly browserHash: string }[];
    };

export async function findSession(deps: Deps, text: string): Promise<FoundSession> {
  const token = await readConnectToken(deps.config.signingKey, text);
  if (!token) return { kind: "unknown" };
  const isOver = token.expiresAt <= Date.now();
  const [stored, [[progress], choices]] = await Promise.all([
    deps.kv.get(kvKey(token.hash), "json"),
    isOver ? [[], []] : deps.db.batch([selectProgress(deps.db, token.hash), selectOpenChoices(deps.db, token.hash)]),
  ]);
  const record = SessionRecord.safeParse(stored);
  if (isOver) return { kind: "expired", token, returnUrl: record.data?.returnUrl ?? null };
  if (!record.success) return { kind: "unready", token };
  return { kind: "open", session: { ...record.data, token }, progress: progress ?? null, choices };
}

const kvKey = (hash: string): string => `connect:${hash}`;
