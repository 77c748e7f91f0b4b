import { z } from "zod";
import { sealCredentials } from "../channels/credentials.ts";
import { storeCredentials, upsertChannels } from "../channels/store.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import type { PlatformName } from "../platforms/names.ts";
import type { GrantedAccount } from "../platforms/platform.ts";
import type { Session } from "./session.ts";
import { choicesAreOpen, deleteChoices, findChoices, markConnected, type Progress, storeChoices } from "./store.ts";

/** Accounts that a login yielded: kept sealed until the person has ticked some, then turned into channels. */
const Accounts = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    username: z.string().nullable(),
    pictureUrl: z.string().nullable(),
    attributes: z.record(z.string(), z.json()),
    credentials: z
      .object({
        accessToken: z.string(),
        refreshToken: z.string().nullable(),
        expiresAt: z.number().nullable(),
        scopes: z.array(z.string()),
      })
      .nullable(),
    unusableReason: z.string().nullable(),
  }),
);

/** A row of D1 holds 2 MB; sealed accounts take well under 2 KB each. */
const MAX_OFFERED = 1000;
/** Each takes three statements, of which a request may run a thousand. */
export const MAX_CONNECTED_AT_ONCE = 200;

/** An account that can be connected. */
export type UsableAccount = GrantedAccount & { readonly credentials: NonNullable<GrantedAccount["credentials"]> };

export function isUsable(account: GrantedAccount): account is UsableAccount {
  return account.credentials !== null;
}

export async function offerChoices(
  deps: Deps,
  { token }: Session,
  platform: PlatformName,
  browserHash: string,
  accounts: readonly GrantedAccount[],
): Promise<void> {
  const plain = JSON.stringify(accounts.slice(0, MAX_OFFERED));
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
  return plain === null ? { kind: "absent" } : { kind: "open", accounts: Accounts.parse(JSON.parse(plain)) };
}

const choicesContext = (tokenHash: string, platform: PlatformName) => `connect-choices:${tokenHash}:${platform}`;

/**
 * Connects the accounts and moves the session on; two D1 calls. An account that is connected already gets the new
 * credentials and keeps its `channel_id`. With `fromChoices` a repeat changes nothing more.
 */
export async function connectAccounts(
  deps: Deps,
  { token, userRef }: Session,
  platform: PlatformName,
  accounts: readonly UsableAccount[],
  { fromChoices }: { readonly fromChoices: boolean },
): Promise<Progress | null> {
  const { db } = deps;
  const now = Date.now();
  const { projectId } = token;
  const ids = await upsertChannels(
    db,
    accounts.map(({ id, name, username, pictureUrl, attributes }) => {
      const account = { accountId: id, name, username, pictureUrl, attributes };
      return { ...account, projectId, userRef, platform };
    }),
    now,
  );
  const sealed = await Promise.all(
    accounts.flatMap((account) => {
      const id = ids.get(account.id)?.id;
      if (id === undefined) return [];
      return [
        sealCredentials(deps, id, account.credentials, now).then((credentials) => ({ id, account, credentials })),
      ];
    }),
  );
  const stored = sealed.map(({ id, credentials }) => storeCredentials(db, id, credentials, now));
  const events = sealed.map(({ id, account }) =>
    insertEvent(
      db,
      {
        projectId,
        subject: "channel",
        subjectId: id,
        type: "channel.connected",
        message: `${account.name} (${platform}) was connected.`,
        at: now,
      },
      fromChoices ? choicesAreOpen(token.hash, platform) : undefined,
    ),
  );
  const connected = sealed.map(({ id, account }) => ({ id, platform, name: account.name }));
  // The choice is deleted last: the events before it ask whether it was open.
  const [[progress]] = await db.batch([
    markConnected(db, token.hash, platform, connected, now),
    ...events,
    ...stored,
    ...(fromChoices ? [deleteChoices(db, token.hash, platform)] : []),
  ]);
  // Told to the features above, which may have waited for it; whoever waits also looks by itself.
  const known = [...ids.values()].filter(({ isNew }) => !isNew);
  await deps.jobs.sendMany(
    known.map(({ id }) => ({
      queue: "publish" as const,
      message: { type: "reconnected" as const, channelId: id },
      delaySeconds: 0,
    })),
  );
  deps.log.event("channels_connected", { platform, project: projectId, channels: connected.length });
  return progress ?? null;
}
