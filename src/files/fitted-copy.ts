/**
 * Copies of files that fit a platform: a picture in another format or size, a video in another container, a
 * document made of pictures. There is one for each original, rule and project. It is kept beside the
 * original, counts as storage of the project, and is deleted with the original.
 *
 *   absent ──claimed by a job──▶ being made ──bytes in the bucket──▶ made
 *                                  │ the job dies: it continues itself, or another job claims after a while
 *
 * The name in the bucket is in the database before any byte is in the bucket, so nothing is left behind. The
 * object carries its own properties (`copyMetadata`): a job that finds it there has nothing to make.
 */
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PostId, ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import { hex } from "../core/tokens.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { newFileName } from "../media/own-address.ts";
import type { Deps } from "../service/deps.ts";
import { isNotTaken, UPLOAD_LIFE_MS, usedBytes } from "./store.ts";
import { StoredMedia } from "./stored.ts";
import { filesTable, fileUsesTable } from "./table.ts";

/** How long other jobs wait for the job that makes a copy. It renews the time with each step. */
export const MAKER_MS = 120 * SECOND;

/** Which copy is meant. */
export interface CopyKey {
  readonly projectId: ProjectId;
  /** The original: the name of our file, or `contentKey` of the bytes of a file elsewhere. */
  readonly of: string;
  /** What it is made for. The same key stands for the same copy for good. */
  readonly rule: string;
}

/** Who needs a copy. It is kept as long as the post needs it. `isOpen` holds while the post may need it. */
export interface CopyNeeded {
  readonly postId: PostId;
  readonly isOpen: SQL;
  /** The job that makes the copy, if nobody has made it. */
  readonly job: string;
  /** An upper bound of its size. It counts as storage until the size is known. */
  readonly maxBytes: number;
}

export interface MadeCopy {
  readonly name: string;
  readonly bytes: number;
  readonly media: StoredMedia;
}

export type Claim =
  | ({ readonly kind: "made" } & MadeCopy)
  /** The caller makes it, under this name. */
  | { readonly kind: "claimed"; readonly name: string }
  /** Another job makes it, or an earlier copy is being deleted. */
  | { readonly kind: "taken" }
  /** The project's files would exceed its storage. */
  | { readonly kind: "full"; readonly usedBytes: number };

/** The identity of a file elsewhere, whose address may have other bytes tomorrow. */
export async function contentKey(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha256:${hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))}`;
}

const isCopy = ({ projectId, of, rule }: CopyKey): SQL =>
  sql`(files.fitted_from = ${of} AND files.fit_rule = ${rule} AND files.project_id = ${projectId})`;

/**
 * The copy, or the right to make it. Idempotent for a job: one that died claims its own copy again. One
 * transaction; of jobs that need the same copy at once, one claims it.
 */
export async function claimCopy(
  { db, config }: Pick<Deps, "db" | "config">,
  key: CopyKey,
  { postId, isOpen, job, maxBytes }: CopyNeeded,
  now = Date.now(),
): Promise<Claim> {
  const { projectId, of: fittedFrom, rule: fitRule } = key;
  const row = {
    projectId,
    fittedFrom,
    fitRule,
    name: newFileName(),
    bytes: maxBytes,
    createdAt: now,
    forgetAt: now + UPLOAD_LIFE_MS,
  };
  const hasRoom = sql`${usedBytes(projectId)} + ${maxBytes} <= ${config.quotas.uploadedBytes}`;
  const isFree = sql`(maker_job IS NULL OR maker_job = ${job} OR maker_until < ${now})`;
  const isUsable = sql`${isCopy(key)} AND ${isNotTaken} AND ${isOpen}`;
  const { rows, used } = await writeTogether(db, {
    announced: insertWhere(db, filesTable, row, hasRoom).onConflictDoNothing(),
    claimed: db
      .update(filesTable)
      .set({ makerJob: job, makerUntil: now + MAKER_MS })
      .where(sql`${isCopy(key)} AND ${isNull(filesTable.media)} AND ${isNotTaken} AND ${isFree}`),
    uses: db
      .insert(fileUsesTable)
      .select(sql`SELECT files.id, ${postId} FROM files WHERE ${isUsable}`)
      .onConflictDoNothing(),
    kept: db.update(filesTable).set({ forgetAt: null }).where(isUsable),
    rows: db.select().from(filesTable).where(isCopy(key)),
    used: db.select({ bytes: usedBytes(projectId) }).from(sql`(SELECT 1)`),
  });
  const [found] = rows;
  if (!found) return { kind: "full", usedBytes: used[0]?.bytes ?? 0 };
  const { name, bytes, media, forgetAt, makerJob } = found;
  if (forgetAt === 0) return { kind: "taken" };
  if (media !== null) return { kind: "made", name, bytes, media };
  return makerJob === job ? { kind: "claimed", name } : { kind: "taken" };
}

/** Keeps the claim of a job that needs several steps. False if another job has it, or the copy is gone. */
export async function keepClaim(db: Db, name: string, job: string, now = Date.now()): Promise<boolean> {
  const kept = await db
    .update(filesTable)
    .set({ makerUntil: now + MAKER_MS })
    .where(and(eq(filesTable.name, name), isNotTaken, sql`(maker_job = ${job} OR maker_until < ${now})`))
    .returning({ id: filesTable.id });
  return kept.length > 0;
}

/** Records that the copy is whole in the bucket. Repeatable. */
export function markCopyMade(db: Db, { name, bytes, media }: MadeCopy): Statement {
  return db
    .update(filesTable)
    .set({ bytes, media, makerJob: null, makerUntil: null })
    .where(and(eq(filesTable.name, name), isNull(filesTable.media)));
}

/** Ends the claim of a job that cannot make the copy, so that no other job waits for it. */
export async function releaseClaim(db: Db, name: string, job: string): Promise<void> {
  const own = and(eq(filesTable.name, name), eq(filesTable.makerJob, job));
  await runBatch(db, [db.update(filesTable).set({ makerJob: null, makerUntil: null }).where(own)]);
}

/** What the object of a copy says of itself in the bucket: to be stored with its bytes. */
export function copyMetadata(media: StoredMedia): Record<string, string> {
  return { media: JSON.stringify(media) };
}

/** The copy in the bucket, if an earlier delivery stored it whole; null otherwise. */
export async function findStoredCopy(files: R2Bucket, name: string): Promise<MadeCopy | null> {
  const object = await files.head(name);
  const stored = object?.customMetadata?.media;
  if (object === null || stored === undefined) return null;
  return { name, bytes: object.size, media: StoredMedia.parse(JSON.parse(stored)) };
}
