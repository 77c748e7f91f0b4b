import { z } from "zod";
import { scheduleSubscriptions } from "../acting/subscribe-task.ts";
import { noteDatabase, shareAccounts } from "../channels/account-databases.ts";
import { sealGrant } from "../channels/credentials.ts";
import { channelEvents } from "../channels/events.ts";
import { type GrantRef, type StoredCredentials, storeGrant } from "../channels/grant-store.ts";
import { scheduleWatches } from "../channels/grant-watch.ts";
import { markHealth } from "../channels/health-mark.ts";
import { scheduleInsights } from "../channels/insights-task.ts";
import { scheduleReconnections, scheduleReturns, sendReconnections } from "../channels/reconnections.ts";
import { scheduleRefresh } from "../channels/refresh-task.ts";
import { markChannelsConnected, upsertChannels } from "../channels/store.ts";
import { scheduleUncheckedData } from "../channels/unchecked-task.ts";
import type { ChannelId } from "../core/ids.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import { GRANT_PURPOSES, type PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import type { Session } from "./session.ts";
import {
  choicesAreOpen,
  deleteChoices,
  findChoices,
  markConnected,
  type Progress,
  selectProgress,
  storeChoices,
} from "./store.ts";

/** The accounts of a login: sealed until the person has chosen some, then stored as channels. */
const Accounts = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    username: z.string().nullable(),
    pictureUrl: z.string().nullable(),
    attributes: z.record(z.string(), z.json()),
    grants: z.partialRecord(
      z.enum(GRANT_PURPOSES),
      z.object({
        accessToken: z.string(),
        refreshToken: z.string().nullable(),
        expiresAt: z.number().nullable(),
        reconnectBy: z.number().nullish(),
        scopes: z.array(z.string()),
        accountId: z.string().optional(),
        binding: z.json().optional(),
      }),
    ),
    unusableReason: z.string().nullable(),
    login: z.string().nullable(),
  }),
);

/** A D1 row holds 2 MB; a sealed account takes well under 2 KB. */
const MAX_OFFERED = 1000;
/** Each account takes two statements, and one per grant; a request may run a thousand. */
export const MAX_CONNECTED_AT_ONCE = 200;

/** Whether an account can be connected. */
export function isUsable({ grants }: GrantedAccount): boolean {
  return GRANT_PURPOSES.some((purpose) => grants[purpose] !== undefined);
}

export async function offerChoices(
  deps: Deps,
  { token }: Session,
  platform: PlatformName,
  { browserHash, accounts }: { readonly browserHash: string; readonly accounts: readonly GrantedAccount[] },
): Promise<void> {
  const offered = accounts.slice(0, MAX_OFFERED).map((account) => ({ ...account, login: loginOf(account) }));
  const plain = JSON.stringify(offered);
  const sealed = await deps.sealer.seal(plain, choicesContext(token.hash, platform));
  await storeChoices(deps.db, { tokenHash: token.hash, platform, browserHash, sealed, expiresAt: token.expiresAt });
}

export type Choices =
  | { readonly kind: "open"; readonly accounts: readonly GrantedAccount[] }
  /** Another browser signed in. */
  | { readonly kind: "foreign" }
  | { readonly kind: "absent" };

export async function readChoices(
  deps: Deps,
  { token }: Session,
  platform: PlatformName,
  browserHash: string,
): Promise<Choices> {
  const row = await findChoices(deps.db, token.hash, platform);
  if (!row) return { kind: "absent" };
  if (row.browserHash !== browserHash) return { kind: "foreign" };
  const plain = await deps.sealer.open(row.sealed, choicesContext(token.hash, platform));
  // A choice that another version of the service stored cannot be read: the person signs in again.
  const accounts = plain === null ? null : Accounts.safeParse(JSON.parse(plain));
  return accounts?.success ? { kind: "open", accounts: accounts.data } : { kind: "absent" };
}

const choicesContext = (tokenHash: string, platform: PlatformName) => `connect-choices:${tokenHash}:${platform}`;

interface Login {
  readonly platform: PlatformName;
  readonly accounts: readonly GrantedAccount[];
  readonly fromChoices: boolean;
}

/**
 * Connects the accounts and moves the session on; two D1 calls. An account that is already connected gets the
 * new credentials and keeps its `channel_id`. With `fromChoices` a repeat changes nothing. If the answer of
 * the second call is lost, the session says whether it was carried out.
 */
export async function connectAccounts(
  deps: Deps,
  { token, userRef }: Session,
  { platform, accounts, fromChoices }: Login,
): Promise<Progress | null> {
  const { db } = deps;
  const now = Date.now();
  const { projectId } = token;
  const accountIds = accounts.map(({ id }) => id);
  if (deps.databases > 1) await noteDatabase(deps, platform, accountIds);
  const ids = await upsertChannels(
    db,
    accounts.map(({ id, name, username, pictureUrl, attributes }) => {
      const account = { accountId: id, name, username, pictureUrl, attributes };
      return { ...account, projectId, userRef, platform };
    }),
    now,
  );
  if (deps.databases > 1) await shareAccounts(deps, platform, accountIds);
  const channels = accounts.flatMap((account) => {
    const id = ids.get(account.id)?.id;
    return id === undefined ? [] : [{ id, account }];
  });
  const sealed = await Promise.all(channels.map(({ id, account }) => sealGrants(deps, id, platform, account)));
  const events = channels.map(({ id, account }) =>
    channelEvents.insert(
      db,
      {
        projectId,
        subjectId: id,
        type: "channel.connected",
        message: `${account.name} (${platform}) was connected.`,
        detail: {},
        at: now,
      },
      fromChoices ? choicesAreOpen(token.hash, platform) : undefined,
    ),
  );
  // Nothing waits for the login of a new channel.
  const again = [...ids.values()].flatMap(({ id, isNew }) => (isNew ? [] : [id]));
  const connected = channels.map(({ id, account }) => ({ id, platform, name: account.name }));
  // The choice is deleted last, because the events check whether it was open.
  const written = writeTogether(db, {
    progress: markConnected(db, token.hash, platform, connected),
    events,
    grants: storeSealed(db, sealed.flat(), now),
    reconnections: scheduleReconnections(db, again, now),
    returns: scheduleReturns(db, again, now),
    channels: markChannelsConnected(
      db,
      channels.map(({ id }) => id),
      now,
    ),
    unchecked: scheduleUncheckedData(
      db,
      platform,
      [...ids.values()].map(({ id }) => id),
      now,
    ),
    choices: fromChoices ? deleteChoices(db, token.hash, platform) : null,
  });
  const { progress } = await written.catch(async (error: unknown) => {
    const [found] = await selectProgress(db, token.hash).catch(() => []);
    const isDone = found && !found.remaining.includes(platform) && connected.every(({ id }) => isIn(found, id));
    if (!isDone) throw error;
    return { progress: [found] };
  });
  await sendReconnections(deps, again);
  deps.log.event("channels_connected", { platform, project: projectId, channels: connected.length });
  return progress[0] ?? null;
}

const isIn = ({ connected }: Progress, id: ChannelId): boolean => connected.some((channel) => channel.id === id);

/** A grant of a login. `login`: the person, and our app. */
interface SealedGrant {
  readonly ref: GrantRef;
  readonly sealed: StoredCredentials;
  readonly login: string | null;
}

/** For a batch: stores the grants. */
export function storeSealed(db: Db, grants: readonly SealedGrant[], now: number): Statement[] {
  const ids = [...new Set(grants.map(({ ref }) => ref.channelId))];
  return [
    ...grants.flatMap(({ ref, sealed, login }) => [
      storeGrant(db, ref, sealed, login),
      scheduleRefresh(db, ref, sealed.refreshDueAt, now),
    ]),
    markHealth(db, ids),
    ...scheduleWatches(
      db,
      grants.map(({ ref }) => ref),
      now,
    ),
    ...scheduleSubscriptions(db, ids, now),
    ...scheduleInsights(db, ids, now),
  ];
}

/** Seals the grants of the login. Other grants of the channel came from other logins, and stay. */
export async function sealGrants(
  deps: Deps,
  channelId: ChannelId,
  platform: PlatformName,
  { grants, ...account }: GrantedAccount,
): Promise<SealedGrant[]> {
  const rules = findPlatform(platform)?.grants;
  const given = GRANT_PURPOSES.flatMap((purpose) => {
    const credentials = grants[purpose];
    return credentials ? [{ ref: { channelId, purpose }, credentials }] : [];
  });
  const person = loginOf(account);
  return Promise.all(
    given.map(async ({ ref, credentials }) => {
      const app = rules?.[ref.purpose]?.app;
      const sealed = await sealGrant(deps, ref, rules?.[ref.purpose], credentials);
      return { ref, sealed, login: app === undefined || person === null ? null : `${app}:${person}` };
    }),
  );
}

/** The person who logged in, by the platform's id; null if the platform does not report it. */
function loginOf({ id, login }: Pick<GrantedAccount, "id" | "login">): string | null {
  return login === undefined ? id : login;
}
