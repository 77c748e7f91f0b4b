import { eq, sql } from "drizzle-orm";
import { revokeCreatedTokens } from "../accounts/created-tokens.ts";
import { forgetUser } from "../accounts/forget-user.ts";
import { isOpenProject } from "../accounts/store.ts";
import { recordDone } from "../audit/store.ts";
import { isChangedSince, requireStill, runBatch } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import type { Membership, Person } from "./sessions.ts";
import {
  identitiesTable,
  invitationsTable,
  membershipsTable,
  passkeysTable,
  peopleTable,
  sessionsTable,
  signInCodesTable,
  signInLinksTable,
} from "./table.ts";

/**
 * Deletes a person's account: sessions, passkeys, identities, memberships and the address itself. The access
 * of terminals and apps that the person allowed ends; other tokens of projects stay with their owners, who
 * see them in the list of what was left behind. Audit logs keep the address for their year. Nothing happens,
 * and the answer is `last_owner`, while a project would be left without an owner. Repeatable.
 */
export async function deleteAccount(
  deps: Deps,
  person: Person,
  memberships: readonly Membership[],
  now: number,
): Promise<"deleted" | "last_owner"> {
  const { directory: db } = deps;
  const { id, email } = person;
  const [sole] = await db.all<{ id: number }>(sql`${soleOwned(id)} LIMIT 1`);
  if (sole) return "last_owner";
  for (const { project } of memberships) {
    await revokeCreatedTokens(deps, { projectId: project.id, email }, "given");
    const home = deps.in(project.database);
    const act = { projectId: project.id, at: now, source: "console", actor: email } as const;
    const entry = recordDone(home.db, { ...act, action: "/account/delete", path: "/console/account/delete" });
    if (project.movingAt === null) await runBatch(home.db, [entry]);
  }
  try {
    await runBatch(db, [
      requireStill(db, sql`NOT EXISTS (${soleOwned(id)})`),
      db.delete(sessionsTable).where(eq(sessionsTable.personId, id)),
      db.delete(passkeysTable).where(eq(passkeysTable.personId, id)),
      db.delete(identitiesTable).where(eq(identitiesTable.personId, id)),
      db.delete(signInLinksTable).where(eq(signInLinksTable.personId, id)),
      db.delete(signInCodesTable).where(eq(signInCodesTable.email, email)),
      db.delete(invitationsTable).where(eq(invitationsTable.email, email)),
      db.delete(membershipsTable).where(eq(membershipsTable.personId, id)),
      db.delete(peopleTable).where(eq(peopleTable.id, id)),
    ]);
  } catch (error) {
    if (isChangedSince(error)) return "last_owner";
    throw error;
  }
  await forgetUser(deps, email);
  return "deleted";
}

/** Projects, but for those that are being deleted, whose only owner this person is. */
const soleOwned = (personId: Person["id"]) => sql`SELECT memberships.project_id AS id FROM memberships
  WHERE memberships.person_id = ${personId} AND memberships.role = 'owner'
    AND ${isOpenProject(sql`memberships.project_id`)}
    AND NOT EXISTS (SELECT 1 FROM memberships AS others
      WHERE others.project_id = memberships.project_id AND others.role = 'owner' AND others.person_id <> ${personId})`;
