import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { isTestProject } from "../accounts/store.ts";
import { type Db, readTogether, runBatch, type Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { AppName } from "../platforms/apps.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Deps } from "../service/deps.ts";
import { disconnectChannel } from "./disconnect-store.ts";
import { channelEvents } from "./events.ts";
import { markReconnectNeeded } from "./grant-store.ts";
import { markHealth } from "./health-mark.ts";
import type { Channel } from "./store.ts";
import { channelsTable, grantsTable } from "./table.ts";

/**
 * A person's login that is over at the platform, because the person removed our app there. It is found by the
 * person, or by the account: some platforms report an account's own id.
 */
export interface EndedLogin {
  /** All names under which the operator registered the app. */
  readonly apps: readonly AppName[];
  readonly userId: string;
  readonly isTest: boolean;
  /** A login of this time or later is another one, and goes on. */
  readonly before: number;
}

/** A channel that the login was for, connected or not. */
export type LoggedIn = Pick<Channel, "id" | "projectId" | "platform" | "name" | "disconnectedAt">;

const namesOf = ({ apps, userId }: EndedLogin): string[] => apps.map((app) => `${app}:${userId}`);

/** A condition on a row of `grants`: it came from the login. */
function isOf(login: EndedLogin): SQL {
  const isPersons = isAmong(sql`grants.login`, namesOf(login));
  const isAccounts = sql`(${isAmong(sql`substr(grants.login, 1, instr(grants.login, ':') - 1)`, login.apps)}
    AND (SELECT own.account_id FROM channels AS own WHERE own.id = grants.channel_id) = ${login.userId})`;
  return sql`((${isPersons} OR ${isAccounts}) AND grants.logged_in_at < ${login.before})`;
}

/** Channels of the login, at most `limit` by each of the two ways; those that were handled are not found. */
export async function listLoggedIn(db: Db, login: EndedLogin, limit: number): Promise<LoggedIn[]> {
  const columns = {
    id: channelsTable.id,
    projectId: channelsTable.projectId,
    platform: channelsTable.platform,
    name: channelsTable.name,
    disconnectedAt: channelsTable.disconnectedAt,
  };
  const isTest = eq(isTestProject(channelsTable.projectId), login.isTest ? 1 : 0);
  const platforms = PLATFORM_NAMES.filter((name) => {
    const app = findPlatform(name)?.deauthorizing?.app;
    return app !== undefined && login.apps.includes(app);
  });
  const { persons, accounts } = await readTogether(db, {
    persons: db
      .select(columns)
      .from(grantsTable)
      .crossJoin(channelsTable)
      .where(
        and(
          eq(channelsTable.id, grantsTable.channelId),
          isAmong(grantsTable.login, namesOf(login)),
          sql`grants.logged_in_at < ${login.before}`,
          isTest,
        ),
      )
      .limit(limit),
    accounts: db
      .select(columns)
      .from(channelsTable)
      .where(
        and(
          isAmong(channelsTable.platform, platforms),
          eq(channelsTable.accountId, login.userId),
          sql`EXISTS (SELECT 1 FROM grants WHERE grants.channel_id = channels.id AND ${isOf(login)})`,
          isTest,
        ),
      )
      .limit(limit),
  });
  return [...new Map([...persons, ...accounts].map((channel) => [channel.id, channel])).values()];
}

/** What the channel waits for, if it waits for its account owner. */
type GoesWith = (when: SQL) => readonly Statement[];

/**
 * Ends the login on one channel. A channel that publishes by it is disconnected; one that publishes by
 * another login loses only what this one gave. Returns whether the channel is disconnected now.
 */
export async function endLogin(
  deps: Deps,
  channel: LoggedIn,
  login: EndedLogin,
  { sentence, goesWith }: { readonly sentence: string; readonly goesWith: GoesWith },
): Promise<boolean> {
  const { db } = deps;
  const { id, projectId } = channel;
  const now = Date.now();
  const isServedByOther = sql`EXISTS (SELECT 1 FROM grants WHERE grants.channel_id = ${id}
    AND grants.purpose = 'publish' AND grants.credentials IS NOT NULL AND NOT ${isOf(login)})`;
  // A count: with a second EXISTS, SQLite sorts the tasks of the channel instead of walking their index.
  const stillOf = sql`(SELECT count(*) FROM grants WHERE grants.channel_id = ${id} AND ${isOf(login)}) > 0`;
  // What other apps were allowed is revoked; this app has nothing left to revoke.
  const end = { projectId, id, now, message: sentence, endedLogins: namesOf(login) };
  await disconnectChannel(db, end, sql`${stillOf} AND NOT ${isServedByOther}`, goesWith);
  const [read] = await db
    .select({ disconnectedAt: channelsTable.disconnectedAt })
    .from(channelsTable)
    .where(eq(channelsTable.id, id));
  if (read?.disconnectedAt !== null) return true;
  await endGrants(db, channel, login, sentence);
  return false;
}

/** The grants of the login stop, one by one, and are found no more. */
async function endGrants(db: Db, { id, projectId }: LoggedIn, login: EndedLogin, reason: string): Promise<void> {
  const now = Date.now();
  const ended = await db
    .select({ channelId: grantsTable.channelId, purpose: grantsTable.purpose, version: grantsTable.version })
    .from(grantsTable)
    .where(and(eq(grantsTable.channelId, id), isOf(login)));
  for (const grant of ended) await markReconnectNeeded(db, projectId, grant, { reason, now });
  await runBatch(db, [
    db
      .update(grantsTable)
      .set({ credentials: null, credentialsKey: null, expiresAt: null, reconnectBy: null, login: null })
      .where(and(eq(grantsTable.channelId, id), isOf(login))),
    markHealth(db, [id]),
  ]);
}

/**
 * The account's name, picture and login go, after everything else that was read of it; it is called `name`
 * from then on. `condition`: nothing changes unless it holds. A login restores them.
 */
export async function forgetProfile(
  db: Db,
  { id, projectId }: Pick<Channel, "id" | "projectId">,
  { name, condition }: { readonly name: string; readonly condition: SQL },
): Promise<void> {
  const at = Date.now();
  const message = "What was read of the account was deleted.";
  const isMeant = sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND ${condition})`;
  const isNews = sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND ${condition}
    AND (channels.name <> ${name} OR channels.username IS NOT NULL OR channels.picture_url IS NOT NULL))`;
  const nameOf = sql`(SELECT name FROM channels WHERE channels.id = ${id})`;
  const event = { projectId, subjectId: id, type: "channel.data_deleted", message, detail: {}, at } as const;
  await runBatch(db, [
    channelEvents.insert(db, event, isNews),
    channelEvents.rename(db, id, { from: nameOf, to: name }, isNews),
    db
      .update(grantsTable)
      .set({ login: null })
      .where(and(eq(grantsTable.channelId, id), isNull(grantsTable.credentials), isMeant)),
    db
      .update(channelsTable)
      .set({ name, username: null, pictureUrl: null, updatedAt: at })
      .where(and(eq(channelsTable.id, id), isMeant)),
  ]);
}

/** A condition: the channel is disconnected. */
export const isDisconnected = sql`channels.disconnected_at IS NOT NULL`;
