import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { PersonId, ProjectId } from "../core/ids.ts";
import { type Db, readTogether, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Config } from "../service/config.ts";
import { invitationsTable, membershipsTable, peopleTable } from "./table.ts";

/**
 * Who may create an account, by `SIGN_UP`. An invitation by e-mail admits its address. An invitation by link
 * admits one person, who continues from the link in the same browser: the account and the membership are
 * created in one transaction, which uses the link up.
 */
export interface Newcomer {
  /** Verified, in lower case. */
  readonly email: string;
  /** Hash of the secret of the invitation link from which this sign-in continues. */
  readonly invitationHash: string | null;
}

type SignUp = Config["signUp"];

export interface KnownPerson {
  /** Null: no account has this address. */
  readonly id: PersonId | null;
  /** Whether a person with this address may sign in, with an account that may be created. */
  readonly isAdmitted: boolean;
}

export async function findAdmitted(db: Db, signUp: SignUp, newcomer: Newcomer, now: number): Promise<KnownPerson> {
  const { people, admitted } = await readTogether(db, {
    people: db.select({ id: peopleTable.id }).from(peopleTable).where(eq(peopleTable.email, newcomer.email)),
    admitted: db.select({ is: sql<number>`${admission(signUp, newcomer, now)}`.as("admitted") }).from(sql`(SELECT 1)`),
  });
  const id = people[0]?.id ?? null;
  return { id, isAdmitted: id !== null || admitted[0]?.is === 1 };
}

export interface Entered {
  readonly personId: PersonId;
  /** The project that the person joined with the account. */
  readonly projectId: ProjectId | null;
}

/** The person with this address, created if `SIGN_UP` admits it; null if there is none and it does not. */
export async function enter(db: Db, signUp: SignUp, newcomer: Newcomer, now: number): Promise<Entered | null> {
  const { email } = newcomer;
  const person = sql<PersonId>`(SELECT id FROM people WHERE email = ${email})`;
  const isNew = sql`(SELECT created_at FROM people WHERE email = ${email}) = ${now}`;
  const link = and(isLink(newcomer, now), isNew);
  const { people, used } = await writeTogether(db, {
    created: insertWhere(
      db,
      peopleTable,
      { id: sql`NULL`, email, createdAt: now },
      sql`NOT EXISTS ${person} AND ${admission(signUp, newcomer, now)}`,
    ),
    member: insertWhere(
      db,
      membershipsTable,
      {
        personId: person,
        projectId: sql`${invitationsTable.projectId}`,
        role: sql`${invitationsTable.role}`,
        createdAt: now,
      },
      { from: sql`${invitationsTable}`, when: sql`${link}` },
    ).onConflictDoNothing(),
    used: db.delete(invitationsTable).where(link).returning({ projectId: invitationsTable.projectId }),
    people: db.select({ id: peopleTable.id }).from(peopleTable).where(eq(peopleTable.email, email)),
  });
  const [found] = people;
  return found ? { personId: found.id, projectId: used[0]?.projectId ?? null } : null;
}

/** The person with this address, created if there is none. Only for the operator. */
export async function ensurePerson(db: Db, email: string, now: number): Promise<PersonId> {
  const entered = await enter(db, "open", { email, invitationHash: null }, now);
  if (!entered) throw new Error("D1 returned no id for a person.");
  return entered.personId;
}

function admission(signUp: SignUp, newcomer: Newcomer, now: number): SQL {
  if (signUp === "open") return sql`true`;
  if (signUp === "closed") return sql`false`;
  const isForAddress = and(eq(invitationsTable.email, newcomer.email), gt(invitationsTable.expiresAt, now));
  return sql`(EXISTS (SELECT 1 FROM ${invitationsTable} WHERE ${isForAddress})
    OR EXISTS (SELECT 1 FROM ${invitationsTable} WHERE ${isLink(newcomer, now)}))`;
}

function isLink({ invitationHash }: Newcomer, now: number): SQL | undefined {
  return and(
    eq(invitationsTable.hash, invitationHash ?? ""),
    isNull(invitationsTable.email),
    gt(invitationsTable.expiresAt, now),
  );
}
