import { beginAct, endAct } from "../../audit/store.ts";
import { AppError } from "../../core/errors.ts";
import { dropFailing, findFailingJob, isDroppable, listFailingJobs, retryFailing } from "../../jobs/failing.ts";
import type { Job } from "../../jobs/store.ts";
import { inEach } from "../../service/deps.ts";
import {
  type Entry,
  operatorAction,
  operatorPage,
  PageProblem,
  type PersonVisit,
  type Redirect,
} from "../definition.ts";
import { NoFields } from "../fields.ts";
import { FormButton } from "../form-buttons.tsx";
import { DataTable, ListPager } from "../lists.tsx";
import { Confirm, Empty, Time } from "../parts.tsx";
import { OPERATOR_PATH, OperatorPage } from "./operator-parts.tsx";

/** Jobs that fail on our side, for the operator to retry or to drop. */

const PATH = "/operator/jobs";
const SHOWN = 50;

const jobsPage = operatorPage({
  path: PATH,
  title: ({ operator }) => operator.jobs.title,
  load: async ({ deps, query }) => {
    const after = query.after ?? null;
    const found = await Promise.all(inEach(deps).map(({ db }) => listFailingJobs(db, after, SHOWN + 1)));
    const jobs = found.length === 1 ? found.flat() : found.flat().sort((a, b) => (a.key < b.key ? -1 : 1));
    return { jobs: jobs.slice(0, SHOWN), hasMore: jobs.length > SHOWN, isFirst: after === null };
  },
  view: (list, visit) => <Jobs visit={visit} {...list} />,
});

interface Jobs {
  readonly visit: PersonVisit;
  readonly jobs: readonly Job[];
  readonly hasMore: boolean;
  readonly isFirst: boolean;
}

function Jobs({ visit, jobs, hasMore, isFirst }: Jobs) {
  const { jobs: texts } = visit.texts.operator;
  const { columns } = texts;
  const base = `${OPERATOR_PATH}/jobs`;
  const last = jobs.at(-1)?.key ?? "";
  return (
    <OperatorPage visit={visit} room="jobs" title={texts.title} lead={texts.lead}>
      {jobs.length === 0 ? (
        <Empty icon="check" title={texts.empty} lead={texts.emptyLead} />
      ) : (
        <DataTable
          caption={texts.title}
          columns={[
            { title: columns.job },
            { title: columns.project },
            { title: columns.attempts, isNumber: true },
            { title: columns.next },
            { title: columns.deadline },
            { title: texts.actions },
          ]}
          rows={jobs.map((job) => [
            <>
              <code>{job.key}</code>
              <br />
              <span class="about">{job.waitingFor}</span>
            </>,
            <a href={`${OPERATOR_PATH}/projects/${job.projectId}`}>{job.projectId}</a>,
            String(job.attempts),
            <Time at={job.runAt} zone="UTC" visit={visit} />,
            isDroppable(job, visit.now) ? <Time at={job.deadlineAt} zone="UTC" visit={visit} /> : texts.endless,
            <JobButtons visit={visit} job={job} />,
          ])}
        />
      )}
      <ListPager
        texts={{ title: texts.title, newest: texts.first, older: texts.more }}
        newest={isFirst ? null : base}
        older={hasMore ? `${base}?after=${encodeURIComponent(last)}` : null}
      />
    </OperatorPage>
  );
}

function JobButtons({ visit, job }: { readonly visit: PersonVisit; readonly job: Job }) {
  const { jobs: texts } = visit.texts.operator;
  const path = `${OPERATOR_PATH}/jobs/${encodeURIComponent(job.key)}`;
  return (
    <div class="buttons">
      <FormButton visit={visit} action={`${path}/retry`} text={texts.retry} kind="small" />
      {isDroppable(job, visit.now) && (
        <Confirm
          visit={visit}
          id={`drop-${job.key.replace(/\W/g, "-")}`}
          button={texts.drop}
          title={texts.dropTitle({ key: job.key })}
          lead={texts.dropLead}
          action={`${path}/drop`}
        />
      )}
    </div>
  );
}

interface Change {
  readonly action: string;
  readonly notice: string;
  readonly change: typeof retryFailing;
}

/** Changes the job of the path, with an entry in the audit log of its project. */
async function changeJob(visit: PersonVisit, { action, notice, change }: Change): Promise<Redirect> {
  const { params, now, visitor, texts } = visit;
  const key = params.job ?? "";
  const found = inEach(visit.deps).map(async (deps) => ({ deps, job: await findFailingJob(deps.db, key) }));
  const [{ deps, job } = { deps: visit.deps, job: null }] = (await Promise.all(found)).filter(
    (one) => one.job !== null,
  );
  if (!job) throw new AppError("not_found", `There is no failing job ${key}.`);
  const act = { projectId: job.projectId, at: now, source: "operator", actor: visitor.person.email, action } as const;
  const entry = await beginAct(deps.db, { ...act, path: `${OPERATOR_PATH}/jobs/${key}` });
  const isChanged = await change(deps, key, now);
  await endAct(deps, entry, isChanged ? "done" : "nothing");
  if (!isChanged) throw new PageProblem("not_changeable", texts.operator.jobs.busy);
  return { to: `${OPERATOR_PATH}/jobs`, flash: { notice } };
}

const retryAction = operatorAction({
  effect: "sets",
  path: `${PATH}/:job/retry`,
  page: PATH,
  body: () => NoFields,
  run: (visit) =>
    changeJob(visit, { action: "retryJob", notice: visit.texts.operator.jobs.retried, change: retryFailing }),
});

const dropAction = operatorAction({
  effect: "sets",
  path: `${PATH}/:job/drop`,
  page: PATH,
  needsRecentSignIn: true,
  body: () => NoFields,
  run: (visit) =>
    changeJob(visit, { action: "dropJob", notice: visit.texts.operator.jobs.dropped, change: dropFailing }),
});

export const JOBS: readonly Entry[] = [jobsPage, retryAction, dropAction];
