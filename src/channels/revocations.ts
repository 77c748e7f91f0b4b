import { and, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { isTestProject } from "../accounts/store.ts";
import type { ChannelId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db } from "../db/client.ts";
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
  { projectId, channelId, now }: { readonly projectId: ProjectId; readonly channelId: ChannelId; readonly now: number },
  isConnected: SQL,
) {
  const key = jobKey(REVOKE, channelId);
  const from = sql`grants AS kept JOIN channels AS own ON own.id = kept.channel_id`;
  const isKept = sql`kept.channel_id = ${channelId} AND kept.credentials IS NOT NULL AND kept.login IS NOT NULL
    AND ${isAmong(sql`own.platform || ':' || kept.purpose`, revocable())} AND ${isConnected}`;
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
  const isUnknown = and(
    isNull(grantsTable.login),
    eq(channelsTable.platform, channel.platform),
    isOfAccount ? eq(channelsTable.accountId, channel.accountId) : undefined,
  );
  const names = [login, ...sameApps.map((app) => `${app}:${person}`)];
  const rows = await db
    .select({ id: channelsTable.id })
    .from(grantsTable)
    .innerJoin(channelsTable, eq(channelsTable.id, grantsTable.channelId))
    .where(
      and(
        or(isAmong(grantsTable.login, names), isUnknown),
        isNotNull(grantsTable.credentials),
        isNull(channelsTable.disconnectedAt),
        eq(isTestProject(channelsTable.projectId), project.isTest ? 1 : 0),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
