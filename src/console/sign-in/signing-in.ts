import { findProject } from "../../accounts/store.ts";
import type { PersonId } from "../../core/ids.ts";
import { knownBrowserProof } from "../../people/known-browser.ts";
import { openSession } from "../../people/sessions.ts";
import type { Entered } from "../../people/sign-up.ts";
import type { Done, Visit } from "../definition.ts";

/** What every way to sign in ends with. */

/** The secret of the invitation to which a person goes on. */
export const invitationIn = (to: string): string | null => /^\/console\/invitations\/(\w+)$/.exec(to)?.[1] ?? null;

/** A person who joined a project with the new account goes there: the invitation link is used up. */
export async function signInAs(visit: Visit, { personId, projectId }: Entered, to: string): Promise<Done> {
  if (projectId === null) return signIn(visit, personId, to);
  const project = await findProject(visit.deps.directory, projectId);
  const notice = visit.texts.invitation.accepted(project?.name ?? "");
  return { ...(await signIn(visit, personId, `/console/projects/${projectId}`)), flash: { notice } };
}

export async function signIn({ deps, browser, now }: Visit, personId: PersonId, to: string): Promise<Done> {
  const { device, place, session: previous } = browser;
  const cookie = await openSession(deps.directory, { personId, device, place, previous }, now);
  return { to, session: { cookie, proof: await knownBrowserProof(deps.config.signingKey, personId, browser.hash) } };
}
