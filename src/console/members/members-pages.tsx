import { z } from "zod";
import { revokeCreatedTokens } from "../../accounts/created-tokens.ts";
import { AppError } from "../../core/errors.ts";
import { type InvitationId, idOf, type PersonId } from "../../core/ids.ts";
import { runBatch } from "../../db/client.ts";
import { lastDigestDay, scheduleDigest } from "../../digest/digest-task.ts";
import { nameInMail } from "../../mail/mail-name.ts";
import { DIGESTS } from "../../people/digest-choices.ts";
import { chooseDigest } from "../../people/digests.ts";
import { type Invited, invite, recallInvitation, revokeInvitation } from "../../people/invitations.ts";
import { changeRole, findPerson, MAX_MEMBERS, type MemberChange, removeMember } from "../../people/members.ts";
import { ROLES } from "../../people/roles.ts";
import { type Entry, PageProblem, type ProjectVisit, projectAction, projectPage } from "../definition.ts";
import { email, field, idIn, NoFields } from "../fields.ts";
import { onceInDirectory } from "../once-for-form.ts";
import { LEFT_BEHIND, loadMembers } from "./left-behind.tsx";
import { CreatedInvitation, InviteForm, MemberList } from "./member-views.tsx";

/** Members of a project and invitations. */

const PATH = "/projects/:project/members";
const INVITE_PATH = "/projects/:project/members/invite";
const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/members`;

const membersPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ members }) => members.title, icon: "people" },
  title: ({ members }) => members.title,
  load: loadMembers,
  view: (loaded, visit) =>
    visit.flash?.secret === undefined ? (
      <MemberList visit={visit} {...loaded} />
    ) : (
      <CreatedInvitation visit={visit} link={visit.flash.secret} />
    ),
});

const invitePage = projectPage({
  path: INVITE_PATH,
  role: "owner",
  needsRecentSignIn: true,
  title: ({ members }) => members.inviteTitle,
  load: async () => ({}),
  view: (_, visit) => <InviteForm visit={visit} />,
});

const inviteAction = projectAction({
  effect: "creates",
  path: INVITE_PATH,
  page: INVITE_PATH,
  role: "owner",
  needsRecentSignIn: true,
  body: () => z.object({ email: z.union([field(z.literal("")), email]), role: field(z.enum(ROLES)) }),
  run: async (visit, { email: address, role }, key) => {
    const { deps, project, visitor, origin, texts, now } = visit;
    const to = address === "" ? null : address;
    const invitedBy = visitor.person.email;
    const wanted = { projectId: project.id, email: to, role, invitedBy };
    let isFirst = true;
    const invited = await onceInDirectory<Invited>(
      visit,
      { key, operationId: "inviteMember", body: wanted },
      (record) => invite(deps, wanted, now, record),
      (stored) => {
        isFirst = false;
        return recallInvitation(deps, project.id, stored);
      },
    );
    if (invited.kind !== "invited") throw notInvited(visit, invited.kind);
    const link = `${origin}/console/invitations/${invited.secret}`;
    const { mailer } = deps;
    if (isFirst && mailer && to !== null) {
      const name = nameInMail(project.name);
      const subject = texts.invitation.mailSubject({ project: name });
      const message = { to, subject, text: texts.invitation.mailText({ by: invitedBy, project: name, link }) };
      visit.background(mailer.send(message).catch((error: unknown) => deps.log.error("mail_not_sent", error)));
    }
    const { created } = texts.members;
    return {
      to: pathOf(visit),
      flash: { notice: mailer && to !== null ? created.sent({ email: to }) : created.lead, secret: link },
    };
  },
});

function notInvited({ texts: { members } }: ProjectVisit, why: Exclude<Invited["kind"], "invited">): PageProblem {
  switch (why) {
    case "full":
      return new PageProblem("quota_exceeded", members.full({ most: MAX_MEMBERS }));
    case "open":
      return new PageProblem("not_changeable", members.openAlready);
    case "too_many":
      return new PageProblem("quota_exceeded", members.tooManyMails);
  }
}

const memberOf = ({ project, params }: ProjectVisit) => ({
  projectId: project.id,
  personId: idOf<PersonId>(idIn(params.person)),
});

const changeRoleAction = projectAction({
  effect: "sets",
  path: "/projects/:project/members/:person/role",
  page: PATH,
  role: "owner",
  needsRecentSignIn: true,
  body: () => z.object({ role: field(z.enum(ROLES)) }),
  run: async (visit, { role }) => {
    const member = memberOf(visit);
    requireDone(visit, await changeRole(visit.deps.directory, member, role));
    if (role !== "owner") await endAccessOf(visit, member.personId);
    return { to: pathOf(visit), flash: { notice: visit.texts.members.changed({ role: visit.texts.roles[role] }) } };
  },
});

const removeAction = projectAction({
  effect: "sets",
  path: "/projects/:project/members/:person/remove",
  page: PATH,
  role: "owner",
  needsRecentSignIn: true,
  body: () => NoFields,
  run: async (visit) => {
    const member = memberOf(visit);
    requireDone(visit, await removeMember(visit.deps.directory, member));
    await endAccessOf(visit, member.personId);
    return { to: pathOf(visit), flash: { notice: visit.texts.members.removed } };
  },
});

const leaveAction = projectAction({
  effect: "sets",
  path: "/projects/:project/leave",
  page: PATH,
  role: "viewer",
  body: () => NoFields,
  run: async (visit) => {
    const { deps, project, visitor, texts } = visit;
    const { id: personId } = visitor.person;
    requireDone(visit, await removeMember(deps.directory, { projectId: project.id, personId }));
    await endAccessOf(visit, personId);
    return { to: "/console/projects", flash: { notice: texts.members.left({ project: project.name }) } };
  },
});

/**
 * Ends the access of terminals and apps that this person allowed as an owner. If this dies, an owner sees
 * their tokens in the list of what was left behind.
 */
async function endAccessOf({ deps, project }: ProjectVisit, personId: PersonId): Promise<void> {
  const person = await findPerson(deps.directory, personId);
  if (person) await revokeCreatedTokens(deps, { projectId: project.id, email: person.email }, "given");
}

function requireDone({ texts }: ProjectVisit, change: MemberChange): void {
  if (change === "not_a_member") throw new AppError("not_found", "No such member.");
  if (change === "last_owner") throw new PageProblem("not_changeable", texts.members.lastOwner);
}

const revokeAction = projectAction({
  effect: "sets",
  path: "/projects/:project/invitations/:invitation/revoke",
  page: PATH,
  role: "owner",
  body: () => NoFields,
  run: async (visit) => {
    const id = idOf<InvitationId>(idIn(visit.params.invitation));
    const isRevoked = await revokeInvitation(visit.deps.directory, visit.project.id, id);
    if (!isRevoked) throw new AppError("not_found", "No such invitation.");
    return { to: pathOf(visit), flash: { notice: visit.texts.members.revokedNotice } };
  },
});

const digestAction = projectAction({
  effect: "sets",
  path: "/projects/:project/members/digest",
  page: PATH,
  role: "viewer",
  body: () => z.object({ digest: field(z.enum(DIGESTS)) }),
  run: async (visit, { digest }) => {
    const { deps, project, visitor, origin, texts, now } = visit;
    const member = { personId: visitor.person.id, projectId: project.id };
    await chooseDigest(deps.directory, member, digest, lastDigestDay(project.timeZone, now));
    if (digest !== "off") await runBatch(deps.db, [scheduleDigest(deps.db, project, origin, now)]);
    return { to: pathOf(visit), flash: { notice: texts.digest.saved[digest] } };
  },
});

export const MEMBERS: readonly Entry[] = [
  membersPage,
  digestAction,
  invitePage,
  inviteAction,
  changeRoleAction,
  removeAction,
  leaveAction,
  revokeAction,
  ...LEFT_BEHIND,
];
