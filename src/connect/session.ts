import { z } from "zod";
import { type Brand, selectBrand, toBrand } from "../branding/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { HOUR, SECOND } from "../core/time.ts";
import { sha256Hex } from "../core/tokens.ts";
import { type IdempotencyRecord, type ReplaceAnswer, readTogether, refuseRepeat, writeTogether } from "../db/client.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { findNextExpiry, insertSession, type Progress, selectOpenChoices, selectProgress } from "./store.ts";
import { type ConnectToken, mintConnectToken, readConnectToken, SESSION_SECONDS } from "./token.ts";

/**
 * The connection session (spec 2.3). The user and the return address are in KV under
 * `connect:<project>:<token hash>`,
 * written once. The progress is a row in D1, because pollers must see it at once.
 */

/** Longer than the session, so that an expired page can still lead back to the application. */
const RECORD_SECONDS = SESSION_SECONDS + HOUR / SECOND;

const SessionRecord = z.object({
  isTest: z.boolean(),
  userRef: z.string(),
  returnUrl: z.string().nullable(),
  /** Selected when the page opens. */
  platforms: z.array(z.enum(PLATFORM_NAMES)).readonly(),
});
type SessionRecord = z.output<typeof SessionRecord>;

export interface Session extends SessionRecord {
  readonly token: ConnectToken;
  readonly brand: Brand;
}

/** A session as connect-channel returns it. */
export interface OpenedSession {
  readonly token: string;
  readonly secondsLeft: number;
}

interface SessionRequest {
  readonly userId: string;
  readonly redirectUrl?: string | undefined;
  readonly platforms?: readonly PlatformName[] | undefined;
}

/**
 * Opens a session, which counts as open in D1 from then on. The record of its Idempotency-Key holds the token
 * sealed. Errors: `quota_exceeded`.
 */
export async function openSession(
  deps: Deps,
  caller: Caller,
  request: SessionRequest,
  idempotency: IdempotencyRecord | null,
): Promise<OpenedSession> {
  await refuseRepeat(deps.db, idempotency);
  const token = await startSession(deps, caller, request);
  if (idempotency)
    await writeTogether(deps.db, { record: idempotency.write(await deps.sealer.seal(token, answerContext(caller))) });
  return { token, secondsLeft: SESSION_SECONDS };
}

/**
 * The session of an earlier request with the same `Idempotency-Key`, with its remaining seconds. If it has
 * ended, or cannot be read any more, a new one replaces it; concurrent repeats get the same new one.
 */
export async function findCreatedSession(
  deps: Deps,
  caller: Caller,
  request: SessionRequest,
  { stored, replace }: { readonly stored: string; readonly replace: ReplaceAnswer },
): Promise<OpenedSession> {
  const earlier = await readAnswer(deps, caller, stored);
  if (earlier && earlier.secondsLeft > 0) return earlier;
  const fresh = await startSession(deps, caller, request);
  const own = await deps.sealer.seal(fresh, answerContext(caller));
  const standing = await replace(own);
  const winner = standing === own ? null : await readAnswer(deps, caller, standing);
  return winner ?? { token: fresh, secondsLeft: SESSION_SECONDS };
}

async function startSession(deps: Deps, caller: Caller, request: SessionRequest): Promise<string> {
  const { userId: userRef, redirectUrl: returnUrl = null, platforms = [] } = request;
  const token = await mintConnectToken(deps.config.signingKey, caller, Date.now());
  await requireRoom(deps, caller, token);
  const record: SessionRecord = { isTest: caller.isTest, userRef, returnUrl, platforms };
  const kvName = `${connectKvPrefix(caller.projectId)}${await sha256Hex(token)}`;
  await deps.kv.put(kvName, JSON.stringify(record), { expirationTtl: RECORD_SECONDS });
  return token;
}

/** Throws `quota_exceeded` if the project has the maximum number of open sessions. */
async function requireRoom({ db, config }: Deps, { projectId }: Caller, text: string): Promise<void> {
  const limit = config.quotas.connectSessions;
  const token = await readConnectToken(config.signingKey, text);
  if (!token) throw new Error("A new connect token is unreadable.");
  if (await insertSession(db, token, limit)) return;
  const now = Date.now();
  const ms = ((await findNextExpiry(db, projectId, now)) ?? now + SECOND) - now;
  throw new AppError(
    "quota_exceeded",
    `${grouped(limit)} connect sessions of this project are open, the maximum. Ask your users to complete the open ones, or try again later: each expires after ${SESSION_SECONDS / 60} minutes.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(ms / SECOND)) },
  );
}

/** Null if a key was rotated since: then the session's pages cannot read it either. */
async function readAnswer(deps: Deps, caller: Caller, sealed: string): Promise<OpenedSession | null> {
  const text = await deps.sealer.open(sealed, answerContext(caller));
  const token = text === null ? null : await readConnectToken(deps.config.signingKey, text);
  if (!token) return null;
  return { token: token.text, secondsLeft: Math.max(0, Math.ceil((token.expiresAt - Date.now()) / SECOND)) };
}

const answerContext = ({ projectId }: Caller): string => `connect-answer:${projectId}`;

export type SessionStatus =
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" }
  | { readonly kind: "open"; readonly token: ConnectToken; readonly progress: Progress | null };

/** The status for a poller: always one D1 call, because KV could be a minute behind. */
export async function connectStatus(deps: Deps, { projectId }: Caller, text: string): Promise<SessionStatus> {
  const token = await readConnectToken(deps.config.signingKey, text);
  if (token?.projectId !== projectId) return { kind: "unknown" };
  if (token.expiresAt <= Date.now()) return { kind: "expired" };
  const [progress = null] = await selectProgress(deps.db, token.hash);
  return { kind: "open", token, progress };
}

export type FoundSession =
  | { readonly kind: "unknown" }
  | {
      readonly kind: "expired";
      readonly token: ConnectToken;
      readonly brand: Brand;
      /** Null: there is none, or it is forgotten. */
      readonly returnUrl: string | null;
    }
  /** KV does not have it here yet, or its project is being moved to another database. */
  | { readonly kind: "unready"; readonly token: ConnectToken; readonly brand: Brand }
  | {
      readonly kind: "open";
      readonly session: Session;
      /** Null until the person has chosen something. */
      readonly progress: Progress | null;
      /** Logins whose accounts are not chosen yet. */
      readonly choices: readonly { readonly platform: PlatformName; readonly browserHash: string }[];
    };

export async function findSession(deps: Deps, text: string): Promise<FoundSession> {
  const token = await readConnectToken(deps.config.signingKey, text);
  return token ? findSessionOf(deps, token) : { kind: "unknown" };
}

async function findSessionOf(deps: Deps, token: ConnectToken): Promise<FoundSession> {
  const isOver = token.expiresAt <= Date.now();
  const { db } = deps.in(token.database);
  const read = () =>
    readTogether(db, {
      ...selectBrand(db, token.projectId),
      progress: isOver ? null : selectProgress(db, token.hash),
      choices: isOver ? null : selectOpenChoices(db, token.hash),
    });
  const [stored, { progress, choices, ...rows }] = await Promise.all([
    deps.kv.get(kvKey(token), "json"),
    // Once more if the answer is lost: the page after the last login would say that something went wrong.
    read().catch(read),
  ]);
  const [project] = rows.project;
  // The project has moved since: its row here says where it is.
  if (project && project.database > token.database)
    return findSessionOf(deps, { ...token, database: project.database });
  const brand = toBrand(rows);
  if (!brand) return { kind: "unknown" };
  const record = SessionRecord.safeParse(stored);
  if (isOver) return { kind: "expired", token, brand, returnUrl: record.data?.returnUrl ?? null };
  if (!record.success || project?.movingAt !== null) return { kind: "unready", token, brand };
  const session = { ...record.data, token, brand };
  return { kind: "open", session, progress: progress?.[0] ?? null, choices: choices ?? [] };
}

/** By project, because the deletion of a project finds its sessions by this. */
export const connectKvPrefix = (projectId: ProjectId): string => `connect:${projectId}:`;

const kvKey = ({ projectId, hash }: ConnectToken): string => `${connectKvPrefix(projectId)}${hash}`;
