import { findProject } from "../../accounts/store.ts";
import { Heading } from "../../pages/layout.tsx";
import { acceptInvitation, findInvitation } from "../../people/invitations.ts";
import { type Entry, PageProblem, personAction, publicPage } from "../definition.ts";
import { NoFields } from "../fields.ts";
import { Form, Notices } from "../parts.tsx";

/** What an invited person sees before and after the sign-in. */

const PATH = "/invitations/:secret";

const invitationPage = publicPage({
  path: PATH,
  title: ({ invitation }) => invitation.title({ project: "" }),
  load: async ({ deps, params, now }) => {
    const invitation = await findInvitation(deps.directory, params.secret ?? "", now);
    const project = invitation && (await findProject(deps.directory, invitation.projectId));
    return { open: invitation && project ? { ...invitation, project } : null };
  },
  view: ({ open }, visit) => {
    const { invitation: texts, roles, errors } = visit.texts;
    if (!open) {
      return (
        <>
          <Heading mark="bad" title={texts.overTitle} lead={texts.overLead} />
          <div class="buttons">
            <a class="button first" href="/console">
              {errors.back}
            </a>
          </div>
        </>
      );
    }
    const own = `/console/invitations/${visit.params.secret}`;
    const signInPath = `/console/sign-in?again=1&to=${encodeURIComponent(own)}`;
    const isForeign = visit.visitor !== null && open.email !== null && open.email !== visit.visitor.person.email;
    return (
      <>
        <Heading
          title={texts.title({ project: open.project.name })}
          lead={texts.lead({ by: open.invitedBy, role: roles[open.role] })}
        />
        <Notices visit={visit} />
        {isForeign && <p class="note">{texts.foreign({ email: open.email ?? "" })}</p>}
        {visit.visitor && !isForeign ? (
          <Form visit={visit} action={own}>
            <button class="button first" type="submit">
              {texts.accept}
            </button>
          </Form>
        ) : (
          <a class="button first" href={signInPath}>
            {texts.signInFirst}
          </a>
        )}
      </>
    );
  },
});

const acceptAction = personAction({
  effect: "sets",
  path: PATH,
  page: PATH,
  body: () => NoFields,
  run: async ({ deps, visitor, params, texts, now }) => {
    const accepted = await acceptInvitation(deps.directory, params.secret ?? "", visitor.person, now);
    if (!accepted) throw new PageProblem("not_changeable", texts.invitation.overTitle);
    const project = await findProject(deps.directory, accepted.projectId);
    const notice = texts.invitation.accepted({ project: project?.name ?? "" });
    return { to: `/console/projects/${accepted.projectId}`, flash: { notice } };
  },
});

export const INVITATIONS: readonly Entry[] = [invitationPage, acceptAction];
