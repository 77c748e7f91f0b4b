import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { FixedTextError } from "../core/error-text.ts";
import { idOf, type ProjectId, type TokenId, type UserId } from "../core/ids.ts";
import { PERMISSIONS, type Permission } from "../core/permissions.ts";
import { DAY } from "../core/time.ts";
import { checksumKeyId, hasOurChecksum, mintToken, sha256Hex, tokenHint } from "../core/tokens.ts";
import { type IdempotencyRecord, isChangedSince, refuseRepeat, writeTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import type { TokenLimiter } from "./limiter-object.ts";
import type { TokenHome } from "./rate-limit-lease.ts";
import { finishRevocation, tokenKvKey } from "./revocation.ts";
import {
  deleteTokens,
  findTokenHash,
  hasTokensOfOtherKeys,
  hasTokensOver,
  insertToken,
  listTokensOver,
  type Project,
  selectTokens,
} from "./store.ts";
import type { TokenVia } from "./table.ts";

/** What a request needs to know about its token: the copy in KV under `token:<sha256>`. */
export const TokenRecord = z.object({
  tokenId: z.int().transform((id) => idOf<TokenId>(id)),
  projectId: z.int().transform((id) => idOf<ProjectId>(id)),
  userId: z.int().transform((id) => idOf<UserId>(id)),
  /** The number of the project's database; left out: 0. */
  database: z.int().nonnegative().default(0),
  isTest: z.boolean(),
  timeZone: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  /** Left out: false. */
  moneyNeedsPerson: z.boolean().default(false),
  expiresAt: z.number().nullable(),
});
export type TokenRecord = z.output<typeof TokenRecord>;

export interface TokenRequest {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Epoch milliseconds; null = never. */
  readonly expiresAt: number | null;
  /** The e-mail address of the member who creates it; null = the operator. */
  readonly createdBy: string | null;
  readonly via: TokenVia;
  /** Whether a person must confirm what it spends: on for every token that is given to an agent. */
  readonly moneyNeedsPerson: boolean;
}

/** The most valid tokens of a project. */
export const MAX_TOKENS = 200;

/**
 * Issues a token for the project; null if it has the maximum. The text is shown only once: only its hash is
 * stored, and with a key the sealed text for its repeats. A crash between the two writes leaves a listed row
 * whose token was never delivered and is not in KV.
 */
export async function issueToken(
  deps: Deps,
  project: Project,
  request: TokenRequest,
  idempotency: IdempotencyRecord | null = null,
) {
  await refuseRepeat(deps.directory, idempotency);
  const { signingKey } = deps.config;
  const token = await mintToken(signingKey);
  const hash = await sha256Hex(token);
  const row = {
    ...request,
    projectId: project.id,
    hash,
    hint: tokenHint(token),
    checksumKey: await checksumKeyId(signingKey),
    createdAt: Date.now(),
  };
  const record = idempotency?.write(await deps.sealer.seal(token, sealedFor(project.id))) ?? null;
  const inserted = { ...insertToken(deps.directory, row, MAX_TOKENS), record };
  const written = await writeTogether(deps.directory, inserted).catch(async (error: unknown) => {
    if (!isChangedSince(error)) throw error;
    // The first of two requests may have taken the last place.
    await refuseRepeat(deps.directory, idempotency);
    return null;
  });
  const tokenId = written?.made[0]?.id;
  if (tokenId === undefined) return null;
  await putRecord(deps, project, { ...request, id: tokenId, hash });
  return { id: tokenId, token };
}

/** The text of a token that an earlier request with the same key has issued; null if it cannot be read. */
export async function recallToken(deps: Deps, project: Project, stored: string): Promise<{ token: string } | null> {
  const token = await deps.sealer.open(stored, sealedFor(project.id));
  if (token === null) return null;
  // The first request may have died before it wrote the copy in KV.
  const hash = await sha256Hex(token);
  const found = (await selectTokens(deps.directory, project.id, Date.now(), MAX_TOKENS)).find(
    (one) => one.hash === hash && isValid(one, Date.now()),
  );
  if (found) await putRecord(deps, project, found);
  return { token };
}

const sealedFor = (id: ProjectId): string => `token-answer:${id}`;

/** The copy in KV of a token of this project. */
async function putRecord(
  { kv }: Pick<Deps, "kv">,
  project: Project,
  token: Pick<TokenRequest, "permissions" | "expiresAt" | "moneyNeedsPerson"> & {
    readonly id: TokenId;
    readonly hash: string;
  },
): Promise<void> {
  const record: z.input<typeof TokenRecord> = {
    tokenId: token.id,
    projectId: project.id,
    userId: project.userId,
    ...(project.database === 0 ? {} : { database: project.database }),
    isTest: project.isTest,
    timeZone: project.timeZone,
    permissions: [...token.permissions],
    ...(token.moneyNeedsPerson ? { moneyNeedsPerson: true } : {}),
    expiresAt: token.expiresAt,
  };
  await kv.put(tokenKvKey(token.hash), JSON.stringify(record), kvExpiry(token.expiresAt));
}

/** Writes the copies of a project's valid tokens again, after a change of the project. Repeatable. */
export async function refreshRecords(
  deps: Pick<Deps, "directory" | "kv">,
  project: Project,
  now: number,
): Promise<void> {
  const tokens = await selectTokens(deps.directory, project.id, now, MAX_TOKENS);
  for (const token of tokens) if (isValid(token, now)) await putRecord(deps, project, token);
}

/** Tells the holders of a project's tokens where it lives, or that it is on its way. Repeatable. */
export async function settleTokens(deps: Deps, id: ProjectId, home: TokenHome, now: number): Promise<void> {
  const tokens = await selectTokens(deps.directory, id, now, MAX_TOKENS);
  for (const token of tokens) if (isValid(token, now)) await limiterOf(deps, token.hash).settle(home);
}

export function isValid(
  token: { readonly expiresAt: number | null; readonly revokedAt: number | null },
  now: number,
): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

/**
 * Revokes everywhere within two seconds; false if the token does not exist, or does not in
 * this project if one is named. The first write decides for all
 * requests: the limiter object reports it to every isolate with the next permit. If this call dies after that
 * write, the object completes the revocation.
 */
export async function revokeToken(deps: Deps, id: TokenId, projectId: ProjectId | null = null): Promise<boolean> {
  const hash = await findTokenHash(deps.directory, id, projectId);
  if (hash === null) return false;
  const now = Date.now();
  await limiterOf(deps, hash).revoke(hash, now);
  try {
    await finishRevocation({ db: deps.directory, kv: deps.kv }, hash, now);
  } catch (error) {
    // The revocation is already in force, so the response is a success.
    deps.log.error("revocation_unfinished", error, { token: id });
  }
  return true;
}

/** What a token is, for its holder, who wants to give it up; null if it is unknown. */
export async function findTokenRecord(deps: Deps, token: string): Promise<TokenRecord | null> {
  if (!(await hasOurChecksum(deps.config.checksumKeys, token))) return null;
  return TokenRecord.safeParse(await deps.kv.get(tokenKvKey(await sha256Hex(token)), "json")).data ?? null;
}

const KEPT_MS = 365 * DAY;

/** As a condition: whether `forgetTokens` finds any. */
export const hasForgettableTokens = (now: number): SQL => hasTokensOver(now - KEPT_MS);

/**
 * Deletes tokens that were revoked or expired over a year ago, at most `limit`: their holders get "unknown"
 * from then on. The row is deleted last, so that a crash in between is repeated.
 */
export async function forgetTokens(deps: Pick<Deps, "directory" | "kv" | "limiter">, now: number, limit: number) {
  const over = await listTokensOver(deps.directory, now - KEPT_MS, limit);
  for (const { hash } of over) {
    await deps.kv.delete(tokenKvKey(hash));
    await limiterOf(deps, hash).forget();
  }
  const ids = over.map(({ id }) => id);
  if (ids.length > 0) await deleteTokens(deps.directory, ids);
}

export function limiterOf({ limiter }: Pick<Deps, "limiter">, hash: string): DurableObjectStub<TokenLimiter> {
  return limiter.get(limiter.idFromName(hash));
}

/**
 * KV deletes an expired token a day late, so that its holder gets "expired" rather than "unknown" for a
 * while.
 */
function kvExpiry(expiresAt: number | null): KVNamespacePutOptions {
  if (expiresAt === null) return {};
  const soonest = Math.floor(Date.now() / 1000) + 120;
  return { expiration: Math.max(soonest, Math.floor(expiresAt / 1000) + 86_400) };
}

/** A condition: tokens are refused because their signing key was removed. */
export async function hasUnvouchedTokens({ config }: Pick<Deps, "config">, now: number): Promise<SQL> {
  return hasTokensOfOtherKeys(await Promise.all(config.checksumKeys.map(checksumKeyId)), now);
}

/** Logs that `hasUnvouchedTokens`, with every sweep. */
export function reportUnvouchedTokens({ log }: Pick<Deps, "log">): void {
  const remedy = "Access tokens are refused. Add the SIGNING_KEY that signed them to SIGNING_KEYS_OLD.";
  log.error("tokens_of_unknown_key", new FixedTextError(remedy));
}
