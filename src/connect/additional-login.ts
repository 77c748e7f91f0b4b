import { channelEvents } from "../channels/events.ts";
import { scheduleReconnections, sendReconnections } from "../channels/reconnections.ts";
import { type ChannelState, findChannel } from "../channels/store.ts";
import { type ChannelId, idOf } from "../core/ids.ts";
import { listWords } from "../core/text.ts";
import { writeTogether } from "../db/client.ts";
import type { AdditionalLogin, GrantedAccount } from "../platforms/login.ts";
import type { Platform } from "../platforms/platform.ts";
import type { Deps } from "../service/deps.ts";
import { sealGrants, storeSealed } from "./accounts.ts";
import type { LoginProblem } from "./login-problem.ts";
import type { Session } from "./session.ts";
import { markConnected, type Progress } from "./store.ts";

/**
 * What a further login gave goes to the channels of the same accounts that this session has connected. The
 * platform names one person differently to each of our apps, so that an account is known by its username. A
 * login may be for accounts that are not connected here: those are left out.
 */
export type AdditionalLoginOutcome =
  | { readonly kind: "connected"; readonly progress: Progress | null }
  /** Another account's: nothing was changed. */
  | { readonly kind: "mismatch"; readonly problem: LoginProblem };

interface Granted {
  readonly platform: Platform;
  readonly further: AdditionalLogin;
  readonly accounts: readonly GrantedAccount[];
}

export async function connectAdditionalLogin(
  deps: Deps,
  { token }: Session,
  progress: Progress | null,
  { platform, further, accounts }: Granted,
): Promise<AdditionalLoginOutcome> {
  const { db } = deps;
  const channels = await connectedHere(deps, { token }, progress, platform);
  const matches = channels.flatMap((channel) => {
    const account = accounts.find(({ username }) => isSameName(username, channel.username));
    return account ? [{ channel, account }] : [];
  });
  if (matches.length === 0) return { kind: "mismatch", problem: problemOf(further, accounts, channels) };
  const now = Date.now();
  const sealed = await Promise.all(
    matches.map(({ channel, account }) => sealGrants(deps, channel.id, platform.name, account)),
  );
  const ids = matches.map(({ channel }) => channel.id);
  const name = `${platform.name}:${further.purpose}` as const;
  const withLogin = ({ channel }: { readonly channel: ChannelState }) => {
    return {
      id: channel.id,
      platform: platform.name,
      name: channel.name,
      further: { [further.purpose]: true },
    } as const;
  };
  const { marked } = await writeTogether(db, {
    marked: markConnected(db, token.hash, name, matches.map(withLogin)),
    events: matches.map(({ channel }) =>
      channelEvents.insert(db, {
        projectId: token.projectId,
        subjectId: channel.id,
        type: "channel.connected",
        message: `${channel.name} (${platform.name}) was connected for ${further.title} too.`,
        detail: {},
        at: now,
      }),
    ),
    grants: storeSealed(db, sealed.flat(), now),
    reconnections: scheduleReconnections(db, ids, now),
  });
  await sendReconnections(deps, ids);
  deps.log.event("channels_connected", { platform: name, project: token.projectId, channels: matches.length });
  return { kind: "connected", progress: marked[0] ?? null };
}

/**
 * The channels of the platform that this session has connected, but for those that were disconnected since.
 */
async function connectedHere(
  { db }: Deps,
  { token }: Pick<Session, "token">,
  progress: Progress | null,
  platform: Platform,
): Promise<ChannelState[]> {
  const ids = (progress?.connected ?? []).filter((one) => one.platform === platform.name).map(({ id }) => id);
  const found = await Promise.all(ids.map((id) => findChannel(db, token.projectId, idOf<ChannelId>(id))));
  return found.filter((channel) => channel !== null);
}

function isSameName(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() === other.toLowerCase();
}

function problemOf(
  { mismatch }: AdditionalLogin,
  accounts: readonly GrantedAccount[],
  channels: readonly ChannelState[],
): LoginProblem {
  if (channels.length === 0) return { kind: "connectFirst" };
  const signedIn = listWords(accounts.map(nameOf));
  const wanted = listWords(channels.map(nameOf));
  if (mismatch) return { kind: "said", sentence: `${mismatch(signedIn, wanted)} Publishing stays connected.` };
  return { kind: "mismatch", signedIn, wanted };
}

function nameOf({ username, name }: { readonly username: string | null; readonly name: string }): string {
  return username === null ? name : `@${username}`;
}
