import { and, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import { type Project, selectProjects } from "../accounts/store.ts";
import type { PersonId, ProjectId, SessionId } from "../core/ids.ts";
import { DAY, HOUR, MINUTE } from "../core/time.ts";
import { base64Url, sha256Hex } from "../core/tokens.ts";
import { type Db, readTogether, runBatch } from "../db/client.ts";
import type { Role } from "./roles.ts";
import { membershipsTable, peopleTable, sessionsTable } from "./table.ts";

/**
 * Signed-in browsers. The cookie holds 32 random bytes; D1 holds their hash. A session ends after 30 days
 * without use, and 90 days after the sign-in at the latest. Every sign-in makes a new one.
 */
const IDLE_MS = 30 * DAY;
export const SESSION_LIFE_MS = 90 * DAY;
/** How precisely the last use is known: pages read a session, and rarely write it. */
const SEEN_PRECISION_MS = HOUR;
/** Dangerous actions need a sign-in that is not older. */
const RECENT_MS = 10 * MINUTE;
const COOKIE_BYTES = 32;

export interface Person {
  readonly id: PersonId;
  readonly email: string;
  /** Of the console's texts; null: as the browser asks. */
  readonly language: string | null;
}

export interface Membership {
  readonly project: Project;
  readonly role: Role;
}

/** Who a request comes from: a person, the session, and what the person is a member of. */
export interface Visitor {
  readonly person: Person;
  readonly session: { readonly id: SessionId; readonly createdAt: number; readonly lastSeenAt: number };
  /** By name. */
  readonly memberships: readonly Membership[];
}

export const isRecent = ({ session }: Visitor, now: number): boolean => session.createdAt > now - RECENT_MS;

/** Null if the session does not exist, has ended or has expired. One D1 call. */
export async function findVisitor(db: Db, hash: string, now: number): Promise<Visitor | null> {
  const isThis = and(eq(sessionsTable.hash, hash), gt(sessionsTable.expiresAt, now));
  const personId = sql`(SELECT ${sessionsTable.personId} FROM ${sessionsTable} WHERE ${isThis})`;
  const { sessions, memberships, projects } = await readTogether(db, {
    sessions: db
      .select({
        id: sessionsTable.id,
        createdAt: sessionsTable.createdAt,
        lastSeenAt: sessionsTable.lastSeenAt,
        personId: sessionsTable.personId,
        email: peopleTable.email,
        language: peopleTable.language,
      })
      .from(sessionsTable)
      .innerJoin(peopleTable, eq(peopleTable.id, sessionsTable.personId))
      .where(isThis),
    memberships: db
      .select({ projectId: membershipsTable.projectId, role: membershipsTable.role })
      .from(membershipsTable)
      .where(eq(membershipsTable.personId, personId)),
    projects: selectProjects(db, projectsOf(personId)),
  });
  const [found] = sessions;
  if (!found) return null;
  const { personId: id, email, language, ...session } = found;
  const roles = new Map<ProjectId, Role>(memberships.map(({ projectId, role }) => [projectId, role]));
  const joined = projects.flatMap((project) => {
    const role = roles.get(project.id);
    return role ? [{ project, role }] : [];
  });
  return { person: { id, email, language }, session, memberships: joined };
}

function projectsOf(personId: SQL): SQL {
  return sql`(SELECT ${membershipsTable.projectId} FROM ${membershipsTable} WHERE ${membershipsTable.personId} = ${personId})`;
}

export interface NewSession {
  readonly personId: PersonId;
  readonly device: string;
  readonly place: string;
  /** The cookie that the browser had before; that session ends. */
  readonly previous: string | null;
}

/** Signs a person in: a new session; its cookie is returned. */
export async function openSession(db: Db, { previous, ...request }: NewSession, now: number): Promise<string> {
  const cookie = base64Url(crypto.getRandomValues(new Uint8Array(COOKIE_BYTES)));
  const session = {
    ...request,
    hash: await sha256Hex(cookie),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + IDLE_MS,
  };
  await runBatch(db, [
    ...(previous === null ? [] : [db.delete(sessionsTable).where(eq(sessionsTable.hash, await sha256Hex(previous)))]),
    db.insert(sessionsTable).values(session),
    db.delete(sessionsTable).where(
      sql`person_id = ${request.personId} AND id <= (SELECT id FROM sessions
        WHERE person_id = ${request.personId} ORDER BY id DESC LIMIT 1 OFFSET ${MAX_SESSIONS})`,
    ),
  ]);
  return cookie;
}

/** Of a person; the oldest end. */
const MAX_SESSIONS = 100;

export async function chooseLanguage(db: Db, personId: PersonId, language: string | null): Promise<void> {
  await db.update(peopleTable).set({ language }).where(eq(peopleTable.id, personId));
}

/** Whether the use of a session is to be noted. */
export const isSeenLongAgo = ({ session }: Visitor, now: number): boolean =>
  session.lastSeenAt <= now - SEEN_PRECISION_MS;

export async function noteSeen(db: Db, { session }: Visitor, now: number): Promise<void> {
  const expiresAt = Math.min(session.createdAt + SESSION_LIFE_MS, now + IDLE_MS);
  await db
    .update(sessionsTable)
    .set({ lastSeenAt: now, expiresAt })
    .where(and(eq(sessionsTable.id, session.id), lt(sessionsTable.lastSeenAt, now)));
}

/** The most that a page shows; older ones still end with all others. */
const MOST_SHOWN = 100;

/** The person's open sessions, the newest first. */
export function selectSessions(db: Db, personId: PersonId, now: number) {
  return db
    .select({
      id: sessionsTable.id,
      device: sessionsTable.device,
      place: sessionsTable.place,
      createdAt: sessionsTable.createdAt,
      lastSeenAt: sessionsTable.lastSeenAt,
    })
    .from(sessionsTable)
    .where(and(eq(sessionsTable.personId, personId), gt(sessionsTable.expiresAt, now)))
    .orderBy(desc(sessionsTable.id))
    .limit(MOST_SHOWN);
}

/** Ends one session of this person; false if there is none with this id. */
export async function endSession(db: Db, personId: PersonId, id: SessionId): Promise<boolean> {
  const ended = await db
    .delete(sessionsTable)
    .where(and(eq(sessionsTable.personId, personId), eq(sessionsTable.id, id)))
    .returning({ id: sessionsTable.id });
  return ended.length > 0;
}

/** Ends every session of the person. */
export async function endSessions(db: Db, personId: PersonId): Promise<void> {
  await db.delete(sessionsTable).where(eq(sessionsTable.personId, personId));
}
