import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { InvitationId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";
import { type Allowance, countUse, hasRoom } from "../db/allowances.ts";
import {
  type Db,
  type IdempotencyRecord,
  isChangedSince,
  refuseRepeat,
  requireStill,
  writeTogether,
} from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import { MAX_MEMBERS } from "./members.ts";
import type { Role } from "./roles.ts";
import type { Person } from "./sessions.ts";
import { invitationsTable, membershipsTable } from "./table.ts";

/** Invitations to a project: for an e-mail address, or for the first one who opens the link. */
const INVITATION_LIFE_MS = 7 * DAY;
const SECRET_LENGTH = 43;

export interface NewInvitation {
  readonly projectId: ProjectId;
  readonly email: string | null;
  readonly role: Role;
  /** The e-mail address of the member who invites. */
  readonly invitedBy: string;
}

export type Invited =
  /** The secret of the link, of which only a hash is stored, and sealed the answer to the key. */
  | { readonly kind: "invited"; readonly secret: string }
  /** The project has the maximum of members; the address has an open invitation to it; too many today. */
  | { readonly kind: "full" | "open" | "too_many" };

/** In a day: to an address from all projects together, and from a project to all addresses. */
const MAILS_TO_ADDRESS = 3;
const MAILS_OF_PROJECT = 50;

async function mailAllowances({ projectId, email }: NewInvitation): Promise<readonly Allowance[]> {
  if (email === null) return [];
  return [
    { key: `mails-to:${await sha256Hex(email)}`, most: MAILS_TO_ADDRESS, windowMs: DAY },
    { key: `mails-of:${projectId}`, most: MAILS_OF_PROJECT, windowMs: DAY },
  ];
}

/**
 * Whether or not this service can send mails: an invitation for an address counts as one. The record of its
 * key holds the sealed secret.
 */
export async function invite(
  { directory: db, sealer }: Pick<Deps, "directory" | "sealer">,
  invitation: NewInvitation,
  now: number,
  idempotency: IdempotencyRecord | null,
): Promise<Invited> {
  await refuseRepeat(db, idempotency);
  const secret = randomBase62(SECRET_LENGTH);
  const row = { ...invitation, hash: await sha256Hex(secret), createdAt: now, expiresAt: now + INVITATION_LIFE_MS };
  const { projectId, email } = invitation;
  const allowances = await mailAllowances(invitation);
  const hasPlace = sql`(SELECT count(*) FROM memberships WHERE project_id = ${projectId})
    + (SELECT count(*) FROM invitations WHERE project_id = ${projectId} AND expires_at > ${now}) < ${MAX_MEMBERS}`;
  const isOpen = sql`EXISTS (SELECT 1 FROM invitations
    WHERE email = ${email} AND project_id = ${projectId} AND expires_at > ${now})`;
  const mayMail = sql.join([sql`true`, ...allowances.map((one) => hasRoom(one, now))], sql` AND `);
  const mayInvite = sql`(${hasPlace} AND NOT ${isOpen} AND ${mayMail})`;
  const answer = await sealer.seal(secret, sealedFor(projectId));
  try {
    await writeTogether(db, {
      still: requireStill(db, mayInvite),
      created: db.insert(invitationsTable).values(row),
      counted: allowances.map((one) => countUse(db, one, now)),
      record: idempotency?.write(answer) ?? null,
    });
    return { kind: "invited", secret };
  } catch (error) {
    if (!isChangedSince(error)) throw error;
    // The first of two requests may have taken the last place.
    await refuseRepeat(db, idempotency);
    const [why] = await db
      .select({ hasPlace: sql<number>`(${hasPlace})`.as("has_place"), isOpen: sql<number>`${isOpen}`.as("is_open") })
      .from(sql`(SELECT 1)`);
    return { kind: why?.hasPlace === 0 ? "full" : why?.isOpen === 1 ? "open" : "too_many" };
  }
}

/**
 * What an earlier request with the same key made; without a link that can be read any more, as an open one.
 */
export async function recallInvitation(
  { sealer }: Pick<Deps, "sealer">,
  projectId: ProjectId,
  stored: string,
): Promise<Invited> {
  const secret = await sealer.open(stored, sealedFor(projectId));
  return secret === null ? { kind: "open" } : { kind: "invited", secret };
}

const sealedFor = (projectId: ProjectId): string => `invitation-answer:${projectId}`;

/** The project's open invitations, the newest first. */
export function selectInvitations(db: Db, projectId: ProjectId, now: number) {
  return db
    .select({
      id: invitationsTable.id,
      email: invitationsTable.email,
      role: invitationsTable.role,
      invitedBy: invitationsTable.invitedBy,
      expiresAt: invitationsTable.expiresAt,
    })
    .from(invitationsTable)
    .where(and(eq(invitationsTable.projectId, projectId), gt(invitationsTable.expiresAt, now)))
    .orderBy(desc(invitationsTable.id))
    .limit(MAX_MEMBERS);
}

export interface OpenInvitation {
  readonly projectId: ProjectId;
  readonly email: string | null;
  readonly role: Role;
  readonly invitedBy: string;
}

/** Null if it was accepted or revoked, or has expired. */
export async function findInvitation(db: Db, secret: string, now: number): Promise<OpenInvitation | null> {
  const [invitation] = await db
    .select({
      projectId: invitationsTable.projectId,
      email: invitationsTable.email,
      role: invitationsTable.role,
      invitedBy: invitationsTable.invitedBy,
    })
    .from(invitationsTable)
    .where(and(eq(invitationsTable.hash, await sha256Hex(secret)), gt(invitationsTable.expiresAt, now)));
  return invitation ?? null;
}

/** Makes the person a member, once. Null if it is not open, or is for another address. */
export async function acceptInvitation(
  db: Db,
  secret: string,
  person: Person,
  now: number,
): Promise<{ readonly projectId: ProjectId } | null> {
  const isOpen = and(
    eq(invitationsTable.hash, await sha256Hex(secret)),
    gt(invitationsTable.expiresAt, now),
    or(isNull(invitationsTable.email), eq(invitationsTable.email, person.email)),
  );
  const { accepted } = await writeTogether(db, {
    member: insertWhere(
      db,
      membershipsTable,
      {
        personId: person.id,
        projectId: sql`${invitationsTable.projectId}`,
        role: sql`${invitationsTable.role}`,
        createdAt: now,
      },
      { from: sql`${invitationsTable}`, when: sql`${isOpen}` },
    ).onConflictDoNothing(),
    accepted: db.delete(invitationsTable).where(isOpen).returning({ projectId: invitationsTable.projectId }),
  });
  return accepted[0] ?? null;
}

/** Revokes an open invitation; false if the project has none with this id. */
export async function revokeInvitation(db: Db, projectId: ProjectId, id: InvitationId): Promise<boolean> {
  const revoked = await db
    .delete(invitationsTable)
    .where(and(eq(invitationsTable.id, id), eq(invitationsTable.projectId, projectId)))
    .returning({ id: invitationsTable.id });
  return revoked.length > 0;
}

/** Revokes every open invitation to the project by this member. Repeatable. */
export async function revokeInvitationsBy(db: Db, projectId: ProjectId, invitedBy: string): Promise<void> {
  await db
    .delete(invitationsTable)
    .where(and(eq(invitationsTable.projectId, projectId), eq(invitationsTable.invitedBy, invitedBy)));
}
