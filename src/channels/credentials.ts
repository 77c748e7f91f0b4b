import { z } from "zod";
import { findProject } from "../accounts/store.ts";
import { backoff } from "../core/backoff.ts";
import type { ChannelId } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import type { AccountContext, Credentials } from "../platforms/platform.ts";
import { findPlatform } from "../platforms/registry.ts";
import {
  type Channel,
  claimRefresh,
  findChannelOfJob,
  markReconnectNeeded,
  postponeRefresh,
  type StoredCredentials,
  storeRefreshed,
} from "./store.ts";

/**
 * Credentials at rest and their renewal (design.md, Credentials). One owner refreshes at a time; the new pair is stored
 * before anyone uses it; only the platform's word disconnects a channel, never a network that failed.
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

const context = (channelId: ChannelId): string => `channel:${channelId}`;

export async function sealCredentials(
  deps: Deps,
  channelId: ChannelId,
  credentials: Credentials,
  now: number,
): Promise<StoredCredentials> {
  const { expiresAt, refreshToken } = credentials;
  const renewable = expiresAt !== null && refreshToken !== null;
  return {
    sealed: await deps.sealer.seal(JSON.stringify(credentials), context(channelId)),
    expireAt: expiresAt,
    refreshDueAt: renewable ? Math.round(expiresAt - (expiresAt - now) * RENEW_AT_LIFE_LEFT) : null,
  };
}

async function openCredentials(deps: Deps, channel: Channel): Promise<Credentials | null> {
  if (channel.credentials === null) return null;
  const plain = await deps.sealer.open(channel.credentials, context(channel.id));
  if (plain === null) return null;
  const parsed = StoredForm.safeParse(JSON.parse(plain));
  return parsed.success ? parsed.data : null;
}

export type Access =
  | { readonly kind: "ready"; readonly context: AccountContext; readonly channel: Channel }
  /** Only the person can help: the reason says how. */
  | { readonly kind: "reconnect_needed"; readonly reason: string }
  | { readonly kind: "later"; readonly seconds: number; readonly reason: string };

/**
 * What is needed to act as the channel, with credentials that are good for at least half a minute. `forceRefresh` after
 * the platform refused them although they should still hold.
 */
export async function accessChannel(deps: Deps, channelId: ChannelId, forceRefresh = false): Promise<Access> {
  const channel = await findChannelOfJob(deps.db, channelId);
  if (!channel || channel.disconnectedAt !== null) {
    return { kind: "reconnect_needed", reason: "The channel was disconnected. Connect it again to publish with it." };
  }
  if (channel.health === "reconnect_needed") {
    return { kind: "reconnect_needed", reason: channel.healthReason ?? reconnectSentence(channel) };
  }
  const credentials = await openCredentials(deps, channel);
  if (!credentials) return { kind: "reconnect_needed", reason: reconnectSentence(channel) };
  const now = Date.now();
  const isNear = credentials.expiresAt !== null && credentials.expiresAt - now < TOO_NEAR_MS;
  if (isNear || forceRefresh) {
    const refreshed = await refreshChannel(deps, channelId);
    if (refreshed.kind === "refreshed") return accessChannel(deps, channelId, false);
    return refreshed;
  }
  const made = await accountContext(deps, channel, credentials);
  return made.kind === "ready" ? { kind: "ready", context: made.context, channel } : made;
}

type Refresh =
  | { readonly kind: "refreshed" }
  | { readonly kind: "reconnect_needed"; readonly reason: string }
  | { readonly kind: "later"; readonly seconds: number; readonly reason: string };

/** Renews the credentials of a channel. Safe to call at any time, by anyone: one of them does it. */
export async function refreshChannel(deps: Deps, channelId: ChannelId): Promise<Refresh> {
  const now = Date.now();
  const lease = now + REFRESH_LEASE_MS;
  if (!(await claimRefresh(deps.db, channelId, now, lease))) {
    return { kind: "later", seconds: 3, reason: "The channel's credentials are being renewed." };
  }
  // Read under the lease: what was read before may be the pair that another delivery has used up.
  const channel = await findChannelOfJob(deps.db, channelId);
  const credentials = channel ? await openCredentials(deps, channel) : null;
  if (!channel || !credentials || channel.health === "reconnect_needed") {
    return { kind: "reconnect_needed", reason: channel?.healthReason ?? "The channel was disconnected." };
  }
  const made = await accountContext(deps, channel, credentials);
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
    const stored = await sealCredentials(deps, channelId, kept, Date.now());
    await storeRefreshed(deps.db, channelId, lease, stored, Date.now());
    deps.log.event("channel_refreshed", { channelId, platform: channel.platform });
    return { kind: "refreshed" };
  }
  if (outcome.reason === "disconnected" || outcome.reason === "token_expired" || outcome.reason === "rejected") {
    const reason = `${outcome.message} ${reconnectSentence(channel)}`;
    await markReconnectNeeded(deps.db, channel, reason, Date.now());
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

/** A reason that the platform gave for refusing the channel for good is kept and shown. */
export async function stopChannel(deps: Deps, channel: Channel, reason: string): Promise<string> {
  const sentence = `${reason} ${reconnectSentence(channel)}`;
  await markReconnectNeeded(deps.db, channel, sentence, Date.now());
  return sentence;
}

function reconnectSentence(channel: Channel): string {
  return `Connect ${channel.name} (${channel.platform}) again to publish with it.`;
}

async function accountContext(deps: Deps, channel: Channel, credentials: Credentials) {
  const project = await findProject(deps.db, channel.projectId);
  const app = project && deps.config.appCredentials(channel.platform, project.isTest);
  if (!project || !app) {
    const reason = `This service has no app credentials for ${channel.platform}. Its operator must set them.`;
    return { kind: "later" as const, seconds: 900, reason };
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
