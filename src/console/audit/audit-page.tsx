import { listAudit } from "../../audit/store.ts";
import type { AuditEntry } from "../../audit/table.ts";
import { byteStream } from "../../core/byte-stream.ts";
import { isoUtc } from "../../core/time.ts";
import { type Entry, type ProjectVisit, projectPage } from "../definition.ts";
import { idIn } from "../fields.ts";
import { projectPath } from "../layout.tsx";
import { DataTable, Pager, State } from "../lists.tsx";
import { Empty, Notices, Time, Top } from "../parts.tsx";

/** Who did what in a project, and all of it as JSON lines. */

const PATH = "/projects/:project/audit";
const PER_PAGE = 50;
const PER_READ = 500;

const auditPage = projectPage({
  path: PATH,
  role: "owner",
  menu: { title: ({ audit }) => audit.title, icon: "list" },
  title: ({ audit }) => audit.title,
  load: async ({ deps, project, query }) => {
    const before = idIn(query.before);
    const entries = await listAudit(deps.db, project.id, before === 0 ? null : before, PER_PAGE + 1);
    return { entries };
  },
  view: ({ entries }, visit) => <AuditLog visit={visit} entries={entries} />,
});

/** Read in parts while it is sent, so that memory stays small. */
const exportPage = projectPage({
  path: `${PATH}/export`,
  role: "owner",
  title: ({ audit }) => audit.title,
  load: async (visit) => {
    const body = byteStream(auditLines(visit));
    const name = `audit-${visit.project.id}.jsonl`;
    const headers = { "Content-Type": "application/jsonl", "Content-Disposition": `attachment; filename="${name}"` };
    return new Response(body, { headers });
  },
  view: () => null,
});

export const AUDIT: readonly Entry[] = [auditPage, exportPage];

async function* auditLines({ deps, project }: ProjectVisit): AsyncGenerator<Uint8Array, void> {
  let before: number | null = null;
  do {
    const entries: readonly AuditEntry[] = await listAudit(deps.db, project.id, before, PER_READ);
    const lines = entries.map(({ at, projectId: _, folded: _key, ...entry }) =>
      JSON.stringify({ at: isoUtc(at), ...entry }),
    );
    if (lines.length > 0) yield new TextEncoder().encode(`${lines.join("\n")}\n`);
    before = entries.length < PER_READ ? null : (entries.at(-1)?.id ?? null);
  } while (before !== null);
}

function AuditLog({ visit, entries }: { readonly visit: ProjectVisit; readonly entries: readonly AuditEntry[] }) {
  const { audit: texts } = visit.texts;
  const path = `${projectPath(visit.project.id)}/audit`;
  const shown = entries.slice(0, PER_PAGE);
  const older = entries.length > PER_PAGE ? `${path}?before=${shown.at(-1)?.id}` : null;
  const { columns } = texts;
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {shown.length > 0 && (
          <a class="button" href={`${path}/export`}>
            {texts.export}
          </a>
        )}
      </Top>
      <Notices visit={visit} />
      {shown.length === 0 ? (
        <Empty icon="list" title={texts.empty} lead={texts.emptyLead} />
      ) : (
        <DataTable
          caption={texts.title}
          columns={[
            { title: columns.action },
            { title: columns.actor },
            { title: columns.path },
            { title: columns.at },
          ]}
          rows={shown.map(({ at, source, actor, action, path: called, state, times }) => [
            <>
              <code>{action.replace("/projects/:project/", "")}</code>
              {times > 1 && ` × ${times.toLocaleString(visit.language)}`}{" "}
              {state === "begun" && <State kind="warn" text={texts.unknown} />}
            </>,
            source === "token" ? texts.token({ id: actor }) : actor,
            <code>{called}</code>,
            <Time at={at} zone={visit.project.timeZone} visit={visit} />,
          ])}
        />
      )}
      <Pager label={texts.title} links={[{ text: texts.older, href: older }]} />
    </>
  );
}
