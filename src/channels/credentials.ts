import { z } from "zod";
import type { FailureCode } from "../core/failures.ts";
import { keyIdOf } from "../core/sealing.ts";
import { SECOND } from "../core/time.ts";
import type { AccountContext, Credentials } from "../platforms/context.ts";
import type { GrantRules, Renewal } from "../platforms/login.ts";
import type { Deps } from "../service/deps.ts";
import type { Grant, GrantRef, StoredCredentials } from "./grant-store.ts";
import { type BrokenCode, reconnectSentence } from "./health.ts";
import { pageSizesOf } from "./page-sizes.ts";
import type { Actor, Channel } from "./store.ts";

/**
 * Credentials at rest: encrypted with their channel and purpose as associated data, and decrypted for one
 * delivery.
 */

const StoredForm = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number().nullable(),
  reconnectBy: z.number().nullish(),
  scopes: z.array(z.string()),
  accountId: z.string().optional(),
  binding: z.json().optional(),
});

/** A credential is renewed when this share of its lifetime is left. */
const RENEW_AT_LIFE_LEFT = 0.2;
const OPERATOR_WAIT_SECONDS = 900;

const sealingContext = ({ channelId, purpose }: GrantRef): string => `channel:${channelId}:${purpose}`;

export async function sealGrant(
  deps: Pick<Deps, "sealer">,
  ref: GrantRef,
  rules: GrantRules | undefined,
  credentials: Credentials,
): Promise<StoredCredentials> {
  const now = Date.now();
  return {
    sealed: await seal(deps, ref, credentials),
    scopes: credentials.scopes,
    expiresAt: credentials.expiresAt,
    reconnectBy: credentials.reconnectBy ?? null,
    refreshDueAt: refreshDueAt(rules?.renewal, credentials, now),
  };
}

export function seal(deps: Pick<Deps, "sealer">, ref: GrantRef, credentials: Credentials): Promise<string> {
  return deps.sealer.seal(JSON.stringify(credentials), sealingContext(ref));
}

/** Null if they belong to another channel or purpose, if their key is unknown, or if they are damaged. */
export async function unseal(deps: Pick<Deps, "sealer">, ref: GrantRef, sealed: string): Promise<Credentials | null> {
  const plain = await deps.sealer.open(sealed, sealingContext(ref));
  return plain === null ? null : (StoredForm.safeParse(JSON.parse(plain)).data ?? null);
}

/**
 * When the sweep should renew credentials stored now, in epoch milliseconds; null if they cannot be renewed.
 */
export function refreshDueAt(renewal: Renewal | undefined, credentials: Credentials, now: number): number | null {
  const { expiresAt, refreshToken } = credentials;
  if (!renewal || expiresAt === null) return null;
  const ahead = Math.round(expiresAt - (expiresAt - now) * RENEW_AT_LIFE_LEFT);
  if (renewal.by === "refresh_token") {
    const idle = renewal.idleSeconds;
    const due = idle === undefined ? ahead : now + idle * SECOND;
    return refreshToken === null ? null : due;
  }
  const due = Math.max(ahead, now + renewal.minAgeSeconds * SECOND);
  return due < expiresAt ? due : null;
}

/** Whether credentials stored at `storedAt` can be renewed now. */
export function isRenewable(renewal: Renewal, credentials: Credentials, storedAt: number, now: number): boolean {
  if (renewal.by === "refresh_token") return credentials.refreshToken !== null;
  const isAlive = credentials.expiresAt === null || credentials.expiresAt > now;
  return isAlive && now - storedAt >= renewal.minAgeSeconds * SECOND;
}

/** Why nothing can be done as the channel now. */
export type Unusable =
  /** Only the account owner can fix this; the reason says how. */
  | { readonly kind: "reconnect_needed"; readonly code: BrokenCode | "channel_disconnected"; readonly reason: string }
  /** `code` null: there is no problem. */
  | {
      readonly kind: "later";
      readonly seconds: number;
      readonly code: FailureCode | null;
      readonly reason: string;
    };

export type Opened = { readonly kind: "open"; readonly credentials: Credentials } | Unusable;

/** The credentials of a working grant. */
export async function openGrant(deps: Deps, channel: Channel, grant: Grant): Promise<Opened> {
  const sealed = grant.credentials;
  if (grant.health === "reconnect_needed" || sealed === null) {
    return reconnect(grant.healthReason ?? reconnectSentence(channel, grant.purpose));
  }
  if (!deps.sealer.knowsKeyOf(sealed)) {
    deps.log.event("credential_key_unknown", { channelId: channel.id, key: keyIdOf(sealed) });
    const missing =
      "This service lacks the key of the channel's credentials. The operator must add it (CREDENTIAL_KEYS).";
    return { kind: "later", seconds: OPERATOR_WAIT_SECONDS, code: "operator_action", reason: missing };
  }
  const credentials = await unseal(deps, grant, sealed);
  return credentials === null ? reconnect(reconnectSentence(channel, grant.purpose)) : { kind: "open", credentials };
}

/** The connection has ended. */
export function reconnect(reason: string): Unusable {
  return { kind: "reconnect_needed", code: "reconnect_needed", reason };
}

/** The context with which an adapter acts for the channel. */
export function accountContext(
  deps: Deps,
  { channel, project }: Actor,
  rules: GrantRules,
  credentials: Credentials,
): { readonly kind: "ready"; readonly context: AccountContext } | Unusable {
  const app = deps.config.appCredentials(rules.app, project.isTest);
  if (!app) {
    const reason = `This service has no app credentials for ${channel.platform}. Its operator must set them.`;
    return { kind: "later", seconds: OPERATOR_WAIT_SECONDS, code: "operator_action", reason };
  }
  const { accountId: id, username, attributes } = channel;
  const account = { id, username, attributes };
  const pageSizes = pageSizesOf(deps, channel);
  const send = deps.sendFor(project);
  return { kind: "ready", context: { send, app, now: Date.now(), account, credentials, pageSizes } };
}
