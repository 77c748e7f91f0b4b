import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { isTestProject } from "../accounts/store.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { type Db, readTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { jobKey } from "../jobs/messages.ts";
import { openJob } from "../jobs/open-jobs.ts";
import { storeSteps } from "../jobs/store.ts";
import { GRANT_PURPOSES, PLATFORM_NAMES } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import { channelsTable, grantsTable } from "./table.ts";

/** SQL for revoking grants at the platform (revoke.ts). */

export const REVOKE = "revoke";
export const REVOKE_LIMIT_MS = DAY;
/** Journal steps that keep an encrypted grant until it is revoked. */
export const KEPT = "grant:";

/** `platform:purpose` of the grants that an API call can revoke. */
function revocable(): string[] {
  return PLATFORM_NAMES.flatMap((name) =>
    GRANT_PURPOSES.filter((purpose) => findPlatform(name)?.grants[purpose]?.revoke).map(
      (purpose) => `${name}:${purpose}`,
    ),
  );
}

/**
 * Belongs in the batch that disconnects a channel, before its grants are deleted: keeps what the job needs,
 * and opens the job. The second statement returns rows for `enqueueJobs`.
 */
export function openRevocation(
  db: Db,
  {
    projectId,
    channelId,
    now,
    endedLogins,
  }: {
    readonly projectId: ProjectId;
    readonly channelId: ChannelId;
    readonly now: number;
    /** What is over at the platform is not revoked. */
    readonly endedLogins: readonly string[];
  },
  isConnected: SQL,
) {
  const key = jobKey(REVOKE, channelId);
  const from = sql`grants AS kept JOIN channels AS own ON own.id = kept.channel_id`;
  const isKept = sql`kept.channel_id = ${channelId} AND kept.credentials IS NOT NULL AND kept.login IS NOT NULL
    AND ${isAmong(sql`own.platform || ':' || kept.purpose`, revocable())}
    AND NOT ${isAmong(sql`kept.login`, endedLogins)} AND ${isConnected}`;
  const step = {
    jobKey: key,
    name: sql`${KEPT} || kept.purpose`,
    result: sql`json_object('sealed', kept.credentials, 'login', kept.login)`,
    now,
  };
  const job = {
    kind: REVOKE,
    queue: "publish",
    projectId,
    subjectId: channelId,
    runAt: now,
    deadlineAt: now + REVOKE_LIMIT_MS,
    messageAt: now,
    now,
  } as const;
  return [
    storeSteps(db, step, { from, when: isKept }),
    openJob(db, job, sql`EXISTS (SELECT 1 FROM ${from} WHERE ${isKept})`),
  ] as const;
}

/** The user who logged in. */
interface LoginOf {
  readonly channel: Pick<typeof channelsTable.$inferSelect, "platform" | "accountId">;
  readonly project: { readonly isTest: boolean };
}

/**
 * Whether another connected channel, in any project, uses the login, or may use it: the user of some grants
 * is unknown. If the login belongs to the account itself, only channels of that account can share it.
 * `sameApps`: all names under which the operator registered the same app.
 */
export async function isLoginUsed(
  db: Db,
  { channel, project }: LoginOf,
  login: string,
  sameApps: readonly string[],
): Promise<boolean> {
  const person = login.slice(login.indexOf(":") + 1);
  const isOfAccount = person === channel.accountId;
  const names = [login, ...sameApps.map((app) => `${app}:${person}`)];
  const ofPlatform = and(
    eq(channelsTable.platform, channel.platform),
    isOfAccount ? eq(channelsTable.accountId, channel.accountId) : undefined,
  );
  // Two queries, each by the index of its kind: with OR neither could be used.
  const { known, unknown } = await readTogether(db, {
    known: selectUsers(db, isAmong(grantsTable.login, names), project),
    unknown: selectUsers(db, and(isNull(grantsTable.login), ofPlatform), project),
  });
  return known.length + unknown.length > 0;
}

/** One connected channel whose grants fit; the grants come first, as few of them fit. */
function selectUsers(db: Db, isMeant: SQL | undefined, { isTest }: LoginOf["project"]) {
  return db
    .select({ id: channelsTable.id })
    .from(grantsTable)
    .crossJoin(channelsTable)
    .where(
      and(
        eq(channelsTable.id, grantsTable.channelId),
        isMeant,
        isNotNull(grantsTable.credentials),
        isNull(channelsTable.disconnectedAt),
        eq(isTestProject(channelsTable.projectId), isTest ? 1 : 0),
      ),
    )
    .limit(1);
}
