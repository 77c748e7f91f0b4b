import { findProject } from "../../accounts/store.ts";
import type { PersonId } from "../../core/ids.ts";
import { isKnownBrowser, knownBrowserProof } from "../../people/known-browser.ts";
import { findPerson } from "../../people/members.ts";
import { openSession } from "../../people/sessions.ts";
import type { Entered } from "../../people/sign-up.ts";
import { mailSecurityEvent } from "../account/security-mail.ts";
import type { Redirect, Visit } from "../definition.ts";

/** What every way to sign in ends with. */

/** The secret of the invitation to which a person goes on. */
export const invitationIn = (to: string): string | null => /^\/console\/invitations\/(\w+)$/.exec(to)?.[1] ?? null;

/** A person who joined a project with the new account goes there: the invitation link is used up. */
export async function signInAs(visit: Visit, { personId, projectId }: Entered, to: string): Promise<Redirect> {
  if (projectId === null) return signIn(visit, personId, to);
  const project = await findProject(visit.deps.directory, projectId);
  const notice = visit.texts.invitation.accepted({ project: project?.name ?? "" });
  return { ...(await signIn(visit, personId, `/console/projects/${projectId}`)), flash: { notice } };
}

export async function signIn(visit: Visit, personId: PersonId, to: string): Promise<Redirect> {
  const { deps, browser, now } = visit;
  const { device, place, session: previous } = browser;
  const { signingKey } = deps.config;
  const isKnown = await isKnownBrowser(signingKey, personId, browser);
  const cookie = await openSession(deps.directory, { personId, device, place, previous }, now);
  if (!isKnown) visit.background(mailOfNewBrowser(visit, personId));
  return { to, session: { cookie, proof: await knownBrowserProof(signingKey, personId, browser.hash) } };
}

/** None to a person whose account this sign-in has created. */
async function mailOfNewBrowser(visit: Visit, personId: PersonId): Promise<void> {
  if (visit.deps.mailer === null) return;
  const person = await findPerson(visit.deps.directory, personId);
  if (person && person.createdAt < visit.now) mailSecurityEvent(visit, person.email, "browser");
}
