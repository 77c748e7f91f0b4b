import { includesRole } from "../../people/roles.ts";
import type { Import } from "../../posts/imports/store.ts";
import type { PostTitle } from "../../posts/lists/titles.ts";
import type { ProjectVisit } from "../definition.ts";
import { projectPath } from "../layout.tsx";
import { DataTable, Facts } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Form, Notices, PageScript, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { postName } from "../posts/post-parts.tsx";
import { rowProblemIn } from "../problem-texts.ts";
import { ImportMark } from "./import-views.tsx";

interface Details {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly found: Import;
  /** An import of the same rows that has started. */
  readonly twin: Import | null;
  /** The first posts that it has created. */
  readonly posts: readonly PostTitle[];
}

const STYLE = `
tbody th{min-width:0}
th,td{padding-inline:12px}
td code{white-space:nowrap}
progress{width:100%;accent-color:var(--accent)}
`;

export function ImportDetails(page: Details) {
  const { visit, base, found } = page;
  const { imports } = visit.texts;
  const isRunning = found.state === "importing";
  return (
    <>
      <Top title={imports.name({ number: found.id })} lead={<a href={base}>{imports.all}</a>} />
      <PageStyle visit={visit} rules={STYLE} />
      <Notices visit={visit} />
      <div id="progress" class="group" data-poll={isRunning ? `${base}/${found.id}` : undefined}>
        <Progress {...page} />
        {found.state === "checked" && <Start {...page} />}
        <Created {...page} />
        <Problems visit={visit} found={found} />
        {!isRunning && includesRole(visit.role, "editor") && (
          <Form visit={visit} action={`${base}/${found.id}/delete`}>
            <button class="button small" type="submit">
              {imports.delete}
            </button>
          </Form>
        )}
      </div>
      {isRunning && <PageScript visit={visit} name="progress" />}
    </>
  );
}

function Progress({ visit, base, found }: Details) {
  const { imports } = visit.texts;
  const { id, state, rows, refused, created, failed, createdAt } = found;
  const number = (value: number) => value.toLocaleString(visit.language);
  const isStarted = state === "importing" || state === "done";
  return (
    <section class="card">
      <div class="line" role="status">
        <ImportMark visit={visit} state={state} />
        {state === "importing" && (
          <span class="about">{imports.progress({ done: number(created + failed), all: number(rows) })}</span>
        )}
      </div>
      {state === "importing" && (
        <>
          <progress max={Math.max(1, rows)} value={created + failed} aria-label={imports.states.importing} />
          <p class="hint">{imports.runningLead}</p>
          {found.wait !== null && (
            <p class="note">
              {imports.waiting} {rowProblemIn(found.wait, visit.language)}
            </p>
          )}
          <div class="buttons">
            <a class="button small" href={`${base}/${id}`}>
              {imports.refresh}
            </a>
          </div>
        </>
      )}
      {state === "checking" && <p>{imports.unread}</p>}
      <Facts
        items={[
          [imports.rows, number(rows)],
          [imports.encoding, found.encoding],
          [imports.valid, isStarted ? null : number(rows - refused)],
          [imports.refused, number(isStarted ? failed : refused)],
          [imports.created, isStarted ? number(created) : null],
          [imports.time, <Time at={createdAt} zone={visit.project.timeZone} visit={visit} />],
        ]}
      />
    </section>
  );
}

/** Nothing was created so far. A file with refused rows is corrected, or imported without them. */
function Start({ visit, base, twin, found: { id, rows, refused } }: Details) {
  const { imports } = visit.texts;
  const valid = rows - refused;
  return (
    <section class="card">
      <div>
        <h2>{refused === 0 ? imports.ready : imports.notReady({ count: refused })}</h2>
        <p class="hint">{refused === 0 ? imports.readyLead : imports.notReadyLead}</p>
      </div>
      {includesRole(visit.role, "editor") && (
        <Form visit={visit} action={`${base}/${id}/start`}>
          {refused > 0 && <input type="hidden" name="skip_refused" value="on" />}
          {twin && (
            <>
              <p class="note">
                {imports.twin({ count: twin.created })}{" "}
                <a href={`${base}/${twin.id}`}>{imports.name({ number: twin.id })}</a>
              </p>
              <label class="choice">
                <input type="checkbox" name="again" value="on" required />
                <span>{imports.again}</span>
              </label>
            </>
          )}
          <div class="buttons">
            {valid > 0 && (
              <button class={refused === 0 ? "button first" : "button"} type="submit">
                {refused === 0 ? imports.start({ count: valid }) : imports.skip({ count: valid })}
              </button>
            )}
            <a class={refused === 0 ? "button" : "button first"} href={base}>
              {imports.another}
            </a>
          </div>
        </Form>
      )}
    </section>
  );
}

function Created({ visit, found, posts }: Details) {
  const { imports } = visit.texts;
  const { id, timeZone } = visit.project;
  if (posts.length === 0) return null;
  const day = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeZone }).format(found.createdAt);
  return (
    <>
      <h2>{imports.posts}</h2>
      <ul class="card flush items links" aria-label={imports.posts}>
        {posts.map((post) => (
          <li>
            <a class="what" href={postPath(id, post.id)}>
              <span class="name">{postName(visit.texts, post)}</span>
              <span class="about">{post.channel.name}</span>
            </a>
          </li>
        ))}
      </ul>
      {found.created > posts.length && (
        <p>
          {imports.firstPosts({ shown: posts.length, all: found.created })}{" "}
          <a href={`${projectPath(id)}/posts?created_from=${day}`}>{imports.allPosts}</a>
        </p>
      )}
    </>
  );
}

/** Numbers of rows, with those that follow each other as ranges. */
function rangesOf(rows: readonly number[]): readonly string[] {
  const ranges: [number, number][] = [];
  for (const row of rows.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && row <= last[1] + 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
}

/** Problems on a page. */
const SHOWN = 100;

function Problems({ visit, found: { problems, failedRows } }: Pick<Details, "visit" | "found">) {
  const { imports } = visit.texts;
  if (problems.length === 0) return null;
  return (
    <>
      <div>
        <h2>{imports.problems}</h2>
        {problems.length > SHOWN && <p class="hint">{imports.most({ number: SHOWN })}</p>}
        {failedRows.length > 0 && (
          <p class="hint">
            {imports.failedRows} {rangesOf(failedRows).join(", ")}
          </p>
        )}
      </div>
      <DataTable
        caption={imports.problems}
        columns={[{ title: imports.row }, { title: imports.column }, { title: imports.reason }]}
        rows={problems
          .slice(0, SHOWN)
          .map((problem) => [
            problem.row.toLocaleString(visit.language),
            problem.column === null ? imports.wholeRow : <code>{problem.column}</code>,
            rowProblemIn(problem, visit.language),
          ])}
      />
    </>
  );
}
