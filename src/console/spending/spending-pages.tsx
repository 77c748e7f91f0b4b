import { AppError } from "../../core/errors.ts";
import { idOf, type SpendingId } from "../../core/ids.ts";
import { answerSpending, findSpending, type Spending } from "../../spending/store.ts";
import { codeOf } from "../../spending/terms.ts";
import { type Entry, PageProblem, type ProjectVisit, projectAction, projectPage } from "../definition.ts";
import { idIn, NoFields } from "../fields.ts";
import { FormButton } from "../form-buttons.tsx";
import { Facts } from "../lists.tsx";
import { Notices, Time, Top } from "../parts.tsx";

/** Where a person confirms what an agent wants to spend. No token can open it. */

const PATH = "/projects/:project/spending/:spending";

const idOfVisit = ({ params }: ProjectVisit): SpendingId => idOf<SpendingId>(idIn(params.spending));

const spendingPage = projectPage({
  path: PATH,
  role: "editor",
  title: ({ spending }) => spending.title,
  load: async (visit) => {
    const found = await findSpending(visit.deps.db, visit.project.id, idOfVisit(visit), visit.now);
    if (!found) throw new AppError("not_found", "No such request.");
    return { found };
  },
  view: ({ found }, visit) => <SpendingForm visit={visit} spending={found} />,
});

function SpendingForm({ visit, spending }: { readonly visit: ProjectVisit; readonly spending: Spending }) {
  const { spending: texts } = visit.texts;
  const { id, timeZone: zone } = visit.project;
  const own = `/console/projects/${id}/spending/${spending.id}`;
  const isOpen = spending.state === "pending";
  return (
    <>
      <Top title={texts.title} lead={isOpen ? texts.lead : texts.overLead} />
      <Notices visit={visit} />
      <section class="card">
        <h2>{spending.question}</h2>
        <Facts
          items={[
            [texts.code, <code>{codeOf(spending.termsHash)}</code>],
            [texts.by, texts.token({ id: Number(spending.tokenId) })],
            [texts.at, <Time at={spending.createdAt} zone={zone} visit={visit} />],
            [texts.until, <Time at={spending.expiresAt} zone={zone} visit={visit} />],
          ]}
        />
        <p class="note">{texts.codeNote}</p>
        <h3>{texts.terms}</h3>
        <pre class="mono">{JSON.stringify(spending.terms, null, 2)}</pre>
        {isOpen && (
          <div class="buttons">
            <FormButton visit={visit} action={`${own}/confirm`} text={texts.confirm} kind="first" />
            <FormButton visit={visit} action={`${own}/deny`} text={texts.deny} />
          </div>
        )}
      </section>
    </>
  );
}

/** Money needs a sign-in of the last ten minutes; a denial does not. */
const answerAction = (state: "confirmed" | "denied") =>
  projectAction({
    effect: "sets",
    path: `${PATH}/${state === "confirmed" ? "confirm" : "deny"}`,
    page: PATH,
    role: "editor",
    needsRecentSignIn: state === "confirmed",
    body: () => NoFields,
    run: async (visit) => {
      const { deps, project, visitor, texts, now } = visit;
      const id = idOfVisit(visit);
      const answer = { id, state, answeredBy: visitor.person.email };
      if (!(await answerSpending(deps.db, project.id, answer, now))) {
        if (!(await findSpending(deps.db, project.id, id, now))) throw new AppError("not_found", "No such request.");
        throw new PageProblem("not_changeable", texts.spending.overLead);
      }
      const notice = state === "confirmed" ? texts.spending.confirmedNotice : texts.spending.deniedNotice;
      return { to: `/console/projects/${project.id}/spending/${id}`, flash: { notice } };
    },
  });

export const SPENDING: readonly Entry[] = [spendingPage, answerAction("confirmed"), answerAction("denied")];
