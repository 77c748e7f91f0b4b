import { DIGESTS } from "../../people/digest-choices.ts";
import type { selectInvitations } from "../../people/invitations.ts";
import type { selectMembers } from "../../people/members.ts";
import { includesRole, ROLES } from "../../people/roles.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import {
  ChoiceList,
  Confirm,
  Form,
  fieldValue,
  Notices,
  Secret,
  SubmitOrCancel,
  TextField,
  Time,
  Top,
} from "../parts.tsx";

import { type LeftBehind, LeftBehindList } from "./left-behind.tsx";

type Member = Awaited<ReturnType<typeof selectMembers>>[number];
type Invitation = Awaited<ReturnType<typeof selectInvitations>>[number];

interface MemberList {
  readonly visit: ProjectVisit;
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  readonly left: readonly LeftBehind[];
}

export function MemberList({ visit, members, invitations, left }: MemberList) {
  const { members: texts } = visit.texts;
  const isOwner = includesRole(visit.role, "owner");
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {isOwner && (
          <a class="button first" href={`/console/projects/${visit.project.id}/members/invite`}>
            {texts.invite}
          </a>
        )}
      </Top>
      <Notices visit={visit} />
      <ul class="card flush items" aria-label={texts.title}>
        {members.map((member) => (
          <MemberRow visit={visit} member={member} isOwner={isOwner} />
        ))}
      </ul>
      <DigestForm visit={visit} members={members} />
      <LeftBehindList visit={visit} left={left} />
      {isOwner && invitations.length > 0 && (
        <>
          <h2>{texts.invitations}</h2>
          <ul class="card flush items" aria-label={texts.invitations}>
            {invitations.map((invitation) => (
              <InvitationRow visit={visit} invitation={invitation} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The visitor's own choice. */
function DigestForm({ visit, members }: Pick<MemberList, "visit" | "members">) {
  const { digest: texts, members: memberTexts } = visit.texts;
  const own = members.find(({ personId }) => personId === visit.visitor.person.id);
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      <p>{visit.deps.mailer ? texts.lead({ zone: visit.project.timeZone }) : texts.noMail}</p>
      <Form visit={visit} action={`/console/projects/${visit.project.id}/members/digest`} inline>
        <select name="digest" aria-label={texts.title}>
          {DIGESTS.map((digest) => (
            <option value={digest} selected={digest === own?.digest}>
              {texts.choices[digest]}
            </option>
          ))}
        </select>
        <button class="button small" type="submit">
          {memberTexts.save}
        </button>
      </Form>
    </section>
  );
}

function MemberRow(row: { readonly visit: ProjectVisit; readonly member: Member; readonly isOwner: boolean }) {
  const { visit, member, isOwner } = row;
  const { members: texts, roles } = visit.texts;
  const base = `/console/projects/${visit.project.id}`;
  const isSelf = member.personId === visit.visitor.person.id;
  return (
    <li>
      <div class="what">
        <span class="name">
          {member.email} {isSelf && <span class="about">({texts.you})</span>}
        </span>
        <span class="facts">
          <span>
            {texts.since} <Time at={member.createdAt} zone={visit.project.timeZone} visit={visit} />
          </span>
          {member.digestRefusedAt !== null && member.digest !== "off" && (
            <span class="mark bad">
              {visit.texts.digest.refused}{" "}
              <Time at={member.digestRefusedAt} zone={visit.project.timeZone} visit={visit} />
            </span>
          )}
        </span>
      </div>
      {isOwner ? (
        <Form visit={visit} action={`${base}/members/${member.personId}/role`} inline>
          <select name="role" aria-label={`${texts.role}: ${member.email}`}>
            {ROLES.map((role) => (
              <option value={role} selected={role === member.role}>
                {roles[role]}
              </option>
            ))}
          </select>
          <button class="button small" type="submit">
            {texts.save}
          </button>
        </Form>
      ) : (
        <span class="kind off">{roles[member.role]}</span>
      )}
      {isSelf ? (
        <Confirm
          visit={visit}
          id="leave"
          button={texts.leave}
          title={texts.leaveTitle}
          lead={texts.leaveLead}
          action={`${base}/leave`}
        />
      ) : (
        isOwner && (
          <Confirm
            visit={visit}
            id={`remove-${member.personId}`}
            button={texts.remove}
            title={texts.removeTitle({ email: member.email })}
            lead={texts.removeLead}
            action={`${base}/members/${member.personId}/remove`}
          />
        )
      )}
    </li>
  );
}

function InvitationRow({ visit, invitation }: { readonly visit: ProjectVisit; readonly invitation: Invitation }) {
  const { members: texts, roles } = visit.texts;
  return (
    <li>
      <div class="what">
        <span class="name">{invitation.email ?? texts.anyone}</span>
        <span class="facts">
          <span>{texts.invitedBy({ email: invitation.invitedBy })}</span>
          <span>
            {texts.validUntil} <Time at={invitation.expiresAt} zone={visit.project.timeZone} visit={visit} />
          </span>
        </span>
      </div>
      <span class="kind off">{roles[invitation.role]}</span>
      <FormButton
        visit={visit}
        action={`/console/projects/${visit.project.id}/invitations/${invitation.id}/revoke`}
        text={texts.revoke}
        kind="small bad"
      />
    </li>
  );
}

export function InviteForm({ visit }: { readonly visit: ProjectVisit }) {
  const { members: texts, roles, roleNotes, form } = visit.texts;
  const base = `/console/projects/${visit.project.id}/members`;
  const chosen = fieldValue(visit, "role", "editor");
  return (
    <>
      <Top title={texts.inviteTitle} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={`${base}/invite`}>
          <TextField
            visit={visit}
            name="email"
            type="email"
            label={`${texts.email} (${form.optional})`}
            hint={texts.emailHint}
            input={{ autocomplete: "off" }}
          />
          <fieldset class="field">
            <legend>{texts.role}</legend>
            <ChoiceList
              name="role"
              options={ROLES.toReversed().map((value) => ({ value, title: roles[value], about: roleNotes[value] }))}
              chosen={chosen}
            />
          </fieldset>
          <SubmitOrCancel visit={visit} submit={texts.invite} cancel={base} />
        </Form>
      </section>
    </>
  );
}

/** Shown once, by the sealed cookie of the action. */
export function CreatedInvitation({ visit, link }: { readonly visit: ProjectVisit; readonly link: string }) {
  const { created } = visit.texts.members;
  return (
    <>
      <Top title={created.title} lead={visit.flash?.notice} />
      <section class="card">
        <Secret visit={visit} id="link" label={created.link} text={link} />
        <div class="buttons">
          <a class="button first" href={`/console/projects/${visit.project.id}/members`}>
            {created.done}
          </a>
        </div>
      </section>
    </>
  );
}
