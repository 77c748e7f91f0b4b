import { z } from "zod";
import { backoff } from "../core/backoff.ts";
import type { ChannelId } from "../core/ids.ts";
import { keyIdOf } from "../core/sealing.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import type { AccountContext, Credentials } from "../platforms/platform.ts";
import { findPlatform } from "../platforms/registry.ts";
import {
  type Actor,
  type Channel,
  claimRefresh,
  findActor,
  findChannelOfJob,
  markReconnectNeeded,
  postponeRefresh,
  type StoredCredentials,
} from "./store.ts";
import { findUnstored, keepRenewed } from "./unstored.ts";

/**
 * Credentials at rest and their renewal (design.md, Grants). One owner refreshes at a time; the new pair is stored
 * before anyone uses it; only the platform's word disconnects a channel, never a network that failed. What was refused is
 * told by its sealed form: credentials that were renewed meanwhile are not blamed for it.
 */
const StoredForm = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number().nullable(),
  scopes: z.array(z.string()),
});

/** The share of its life that is left when a credential is renewed ahead of expiry. */
const RENEW_AT_LIFE_LEFT = 0.2;
const REFRESH_LEASE_MS = MINUTE;
/** Credentials this near their end are renewed before they are used. */
const TOO_NEAR_MS = 30 * SECOND;
const OPERATOR_WAIT_SECONDS = 900;

export const credentialsContext = (channelId: ChannelId): string => `channel:${channelId}`;

export async function sealCredentials(
  deps: Deps,
  channelId: ChannelId,
  credentials: Credentials,
  now: number,
): Promise<StoredCredentials> {
  const { expiresAt, refreshToken } = credentials;
  const renewable = expiresAt !== null && refreshToken !== null;
  return {
    sealed: await deps.sealer.seal(JSON.stringify(credentials), credentialsContext(channelId)),
    expireAt: expiresAt,
    refreshDueAt: renewable ? Math.round(expiresAt - (expiresAt - now) * RENEW_AT_LIFE_LEFT) : null,
  };
}

type Opened =
  | { readonly kind: "open"; readonly credentials: Credentials; readonly sealed: string }
  | Extract<Access, { kind: "reconnect_needed" | "later" }>;

async function openCredentials(deps: Deps, channel: Channel): Promise<Opened> {
  if (channel.disconnectedAt !== null) return DISCONNECTED;
  const reason = channel.healthReason ?? reconnectSentence(channel);
  if (channel.health === "reconnect_needed" || channel.credentials === null)
    return { kind: "reconnect_needed", reason };
  const sealed = channel.credentials;
  if (!deps.sealer.knowsKeyOf(sealed)) {
    deps.log.event("credential_key_unknown", { channelId: channel.id, key: keyIdOf(sealed) });
    const missing =
      "This service lacks the key of the channel's credentials. Its operator must add it (CREDENTIAL_KEYS).";
    return { kind: "later", seconds: OPERATOR_WAIT_SECONDS, reason: missing };
  }
  const plain = await deps.sealer.open(sealed, credentialsContext(channel.id));
  const parsed = plain === null ? null : StoredForm.safeParse(JSON.parse(plain));
  if (!parsed?.success) return { kind: "reconnect_needed", reason: reconnectSentence(channel) };
  return { kind: "open", credentials: parsed.data, sealed };
}

export type Access =
  | { readonly kind: "ready"; readonly context: AccountContext; readonly channel: Channel }
  /** Only the person can help: the reason says how. */
  | { readonly kind: "reconnect_needed"; readonly reason: string }
  | { readonly kind: "later"; readonly seconds: number; readonly reason: string };

const DISCONNECTED = {
  kind: "reconnect_needed",
  reason: "The channel was disconnected. Connect it again to publish with it.",
} as const;

/** What is needed to act as the channel, with credentials that are good for at least half a minute. */
export async function accessChannel(deps: Deps, actor: Actor | null): Promise<Access> {
  if (!actor) return DISCONNECTED;
  const { channel, project } = actor;
  const opened = await openCredentials(deps, channel);
  if (opened.kind !== "open") return opened;
  const { credentials } = opened;
  if (credentials.expiresAt !== null && credentials.expiresAt - Date.now() < TOO_NEAR_MS) {
    const renewal = await refreshChannel(deps, channel.id);
    return renewal.kind === "refreshed" ? accessChannel(deps, await findActor(deps.db, channel.id)) : renewal;
  }
  const made = accountContext(deps, { channel, project }, credentials);
  return made.kind === "ready" ? { kind: "ready", context: made.context, channel } : made;
}

/**
 * After the platform refused the credentials that `refused` (the channel as it was read for the act) holds: renews them
 * once, or finds that they were renewed meanwhile. Where nothing renews them, the channel stops.
 */
export async function renewRefused(deps: Deps, refused: Channel, message: string): Promise<Renewal> {
  const current = await findChannelOfJob(deps.db, refused.id);
  if (current && current.credentials !== refused.credentials && current.health !== "reconnect_needed") {
    return { kind: "refreshed" };
  }
  if (!findPlatform(refused.platform)?.oauth.refresh) {
    return { kind: "reconnect_needed", reason: await stopChannel(deps, refused, message) };
  }
  return refreshChannel(deps, refused.id);
}

export type Renewal =
  | { readonly kind: "refreshed" }
  | { readonly kind: "reconnect_needed"; readonly reason: string }
  | { readonly kind: "later"; readonly seconds: number; readonly reason: string };

/** Renews the credentials of a channel. Safe to call at any time, by anyone: one of them does it. */
export async function refreshChannel(deps: Deps, channelId: ChannelId): Promise<Renewal> {
  const now = Date.now();
  const lease = now + REFRESH_LEASE_MS;
  if (!(await claimRefresh(deps.db, channelId, now, lease))) {
    return { kind: "later", seconds: 3, reason: "The channel's credentials are being renewed." };
  }
  // Read under the lease: what was read before may be the pair that another delivery has used up.
  const actor = await findActor(deps.db, channelId);
  if (!actor) return DISCONNECTED;
  const { channel } = actor;
  const opened = await openCredentials(deps, channel);
  if (opened.kind !== "open") return opened;
  const { credentials, sealed } = opened;
  const unstored = await findUnstored(deps, channelId, sealed);
  if (unstored) return storeSurely(deps, channelId, sealed, unstored);
  const made = accountContext(deps, actor, credentials);
  if (made.kind !== "ready") return made;
  const refresh = findPlatform(channel.platform)?.oauth.refresh;
  if (!refresh || credentials.refreshToken === null) {
    const reason = reconnectSentence(channel);
    await markReconnectNeeded(deps.db, channel, reason, now);
    return { kind: "reconnect_needed", reason };
  }
  const outcome = await refresh(made.context);
  if (outcome.kind === "refreshed") {
    // Never overwrite a refresh token with nothing.
    const kept: Credentials = {
      ...outcome.credentials,
      refreshToken: outcome.credentials.refreshToken ?? credentials.refreshToken,
    };
    const stored = await storeSurely(deps, channelId, sealed, await sealCredentials(deps, channelId, kept, Date.now()));
    if (stored.kind === "refreshed") deps.log.event("channel_refreshed", { channelId, platform: channel.platform });
    return stored;
  }
  if (outcome.reason === "disconnected" || outcome.reason === "token_expired") {
    const reason = await stopChannel(deps, channel, outcome.message);
    deps.log.event("channel_reconnect_needed", { channelId, platform: channel.platform, reason: outcome.reason });
    return { kind: "reconnect_needed", reason };
  }
  const waitMs = outcome.retryAfterSeconds ? outcome.retryAfterSeconds * SECOND : backoff(channel.refreshAttempts + 1);
  const isOver = credentials.expiresAt !== null && credentials.expiresAt <= Date.now();
  await postponeRefresh(
    deps.db,
    channelId,
    lease,
    Date.now() + waitMs,
    isOver ? "expiring" : channel.health,
    `The credentials could not be renewed yet: ${outcome.message}`,
  );
  return { kind: "later", seconds: Math.ceil(waitMs / SECOND), reason: outcome.message };
}

async function storeSurely(
  deps: Deps,
  channelId: ChannelId,
  replaced: string,
  renewed: StoredCredentials,
): Promise<Renewal> {
  if (await keepRenewed(deps, channelId, replaced, renewed)) return { kind: "refreshed" };
  // The refresh lease keeps others from renewing until then.
  return {
    kind: "later",
    seconds: REFRESH_LEASE_MS / SECOND,
    reason: "The renewed credentials could not be stored yet.",
  };
}

/** A reason that the platform gave for refusing the channel for good is kept and shown. */
export async function stopChannel(deps: Deps, channel: Channel, reason: string): Promise<string> {
  const sentence = `${reason} ${reconnectSentence(channel)}`;
  await markReconnectNeeded(deps.db, channel, sentence, Date.now());
  return sentence;
}

function reconnectSentence(channel: Channel): string {
  return `Connect ${channel.name} (${channel.platform}) again to publish with it.`;
}

function accountContext(deps: Deps, { channel, project }: Actor, credentials: Credentials) {
  const app = deps.config.appCredentials(channel.platform, project.isTest);
  if (!app) {
    const reason = `This service has no app credentials for ${channel.platform}. Its operator must set them.`;
    return { kind: "later" as const, seconds: OPERATOR_WAIT_SECONDS, reason };
  }
  const account: AccountContext = {
    send: deps.sendFor(project),
    app,
    now: Date.now(),
    account: { id: channel.accountId, username: channel.username, attributes: channel.attributes },
    credentials,
  };
  return { kind: "ready" as const, context: account };
}
