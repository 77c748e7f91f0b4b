import { and, asc, eq, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PersonId, ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { Role } from "./roles.ts";
import { membershipsTable, peopleTable } from "./table.ts";

/** Members of projects. A project always keeps an owner. */

/** The most members of a project, open invitations included. */
export const MAX_MEMBERS = 200;

export function selectMembers(db: Db, projectId: ProjectId) {
  return db
    .select({
      personId: membershipsTable.personId,
      email: peopleTable.email,
      role: membershipsTable.role,
      digest: membershipsTable.digest,
      digestRefusedAt: membershipsTable.digestRefusedAt,
      createdAt: membershipsTable.createdAt,
    })
    .from(membershipsTable)
    .innerJoin(peopleTable, eq(peopleTable.id, membershipsTable.personId))
    .where(eq(membershipsTable.projectId, projectId))
    .orderBy(asc(peopleTable.email))
    .limit(MAX_MEMBERS);
}

/** Null if there is none with this id. */
export async function findPerson(db: Db, personId: PersonId) {
  const { email, createdAt } = peopleTable;
  const [person] = await db.select({ email, createdAt }).from(peopleTable).where(eq(peopleTable.id, personId));
  return person ?? null;
}

/** Whether a member of the project has this address, in lower case. */
export async function isMemberNamed(db: Db, projectId: ProjectId, email: string): Promise<boolean> {
  const rows = await db
    .select({ personId: membershipsTable.personId })
    .from(membershipsTable)
    .innerJoin(peopleTable, eq(peopleTable.id, membershipsTable.personId))
    .where(and(eq(membershipsTable.projectId, projectId), eq(peopleTable.email, email)))
    .limit(1);
  return rows.length > 0;
}

/** The owners of these projects, for a batch. */
export function selectOwners(db: Db, ids: readonly ProjectId[]) {
  return db
    .select({ projectId: membershipsTable.projectId, email: peopleTable.email })
    .from(membershipsTable)
    .innerJoin(peopleTable, eq(peopleTable.id, membershipsTable.personId))
    .where(and(isAmong(membershipsTable.projectId, ids), eq(membershipsTable.role, "owner")))
    .orderBy(asc(peopleTable.email));
}

/** A condition: the person is an owner of the project. Takes values and columns. */
export const isOwner = (personId: SQLWrapper, projectId: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM memberships AS held
    WHERE held.person_id = ${personId} AND held.project_id = ${projectId} AND held.role = 'owner')`;

/** A condition: the person owns fewer than `limit` projects. */
export const ownsFewer = (personId: PersonId, limit: number): SQL =>
  sql`(SELECT count(*) FROM memberships WHERE person_id = ${personId} AND role = 'owner') < ${limit}`;

export interface Member {
  readonly personId: PersonId;
  readonly projectId: ProjectId;
}

interface NewMember {
  readonly personId: PersonId;
  /** An expression for a project that the same batch creates. */
  readonly projectId: ProjectId | SQL<ProjectId>;
  readonly role: Role;
}

/** Adds a member; one who is already a member keeps the role. */
export function insertMember(db: Db, member: NewMember, now: number): Statement {
  return db
    .insert(membershipsTable)
    .values({ ...member, createdAt: now })
    .onConflictDoNothing();
}

export type MemberChange = "done" | "not_a_member" | "last_owner";

export async function changeRole(db: Db, member: Member, role: Role): Promise<MemberChange> {
  const changed = await db
    .update(membershipsTable)
    .set({ role })
    .where(and(isMember(member), role === "owner" ? undefined : leavesAnOwner(member)))
    .returning({ role: membershipsTable.role });
  return changed.length > 0 ? "done" : whyNot(db, member);
}

export async function removeMember(db: Db, member: Member): Promise<MemberChange> {
  const removed = await db
    .delete(membershipsTable)
    .where(and(isMember(member), leavesAnOwner(member)))
    .returning({ role: membershipsTable.role });
  return removed.length > 0 ? "done" : whyNot(db, member);
}

async function whyNot(db: Db, member: Member): Promise<MemberChange> {
  const [found] = await db.select({ role: membershipsTable.role }).from(membershipsTable).where(isMember(member));
  return found ? "last_owner" : "not_a_member";
}

/** A condition: the membership of this person in this project. */
export const isMember = ({ personId, projectId }: Member) =>
  and(eq(membershipsTable.personId, personId), eq(membershipsTable.projectId, projectId));

/** Holds in the statement itself: of two owners who remove each other at once, one stays. */
function leavesAnOwner({ personId, projectId }: Member): SQL | undefined {
  return or(
    ne(membershipsTable.role, "owner"),
    sql`EXISTS (SELECT 1 FROM memberships AS others
      WHERE others.project_id = ${projectId} AND others.role = 'owner' AND others.person_id <> ${personId})`,
  );
}
