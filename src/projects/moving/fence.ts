import { hasLeftText } from "../../accounts/moving.ts";
import type { ProjectId } from "../../core/ids.ts";
import { type Db, MOVING } from "../../db/client.ts";
import { COUNTERS, inOrderOfCopying, isRowOf, type StoredTable } from "../tables.ts";

/**
 * The fence around the rows that a project leaves behind: SQLite itself refuses every change of them, so that
 * what was copied is what there is. No request and no delivery costs more for it: the triggers exist only
 * while a project moves. They hold while its row here says that it is on its way or lives elsewhere, so a
 * fence that a dead run has left behind does no harm.
 */
const ACTS = { insert: "NEW", update: "OLD", delete: "OLD" } as const;
type FencedAct = keyof typeof ACTS;

const nameOf = (id: ProjectId, table: StoredTable, act: FencedAct) => `moving_${Number(id)}_${table.name}_${act}`;

/** Statements that put up the fence. Repeatable. */
export function raiseFence(id: ProjectId, from: number): readonly string[] {
  return fenced(id).map(({ table, act, isOwn }) => {
    const when = `${isOwn} AND ${hasLeftText(id, from)}`;
    return `CREATE TRIGGER IF NOT EXISTS ${nameOf(id, table, act)} BEFORE ${actOn(table, act)} ON ${table.name}
      WHEN ${when} BEGIN SELECT RAISE(ABORT, '${MOVING}'); END`;
  });
}

/** How many databases have its account, a channel learns from other projects too. */
const OF_OTHERS: Readonly<Record<string, string>> = { channels: "databases" };

function actOn({ name, written }: StoredTable, act: FencedAct): string {
  const open = OF_OTHERS[name];
  if (act !== "update" || open === undefined) return act.toUpperCase();
  return `UPDATE OF ${written.filter((column) => column !== open).join(", ")}`;
}

/** Statements that let the rows be deleted; new ones are still refused. */
export function openForDeletion(id: ProjectId): readonly string[] {
  const opened = fenced(id).filter(
    ({ table, act }) => act === "delete" || (act === "update" && COUNTERS.includes(table.name)),
  );
  return opened.map(({ table, act }) => `DROP TRIGGER IF EXISTS ${nameOf(id, table, act)}`);
}

/** Statements that take it down. */
export const dropFence = (id: ProjectId): readonly string[] =>
  fenced(id).map(({ table, act }) => `DROP TRIGGER IF EXISTS ${nameOf(id, table, act)}`);

/** Runs such statements in one transaction. */
export async function runText({ $client }: Db, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await $client.batch(statements.map((text) => $client.prepare(text)));
}

function fenced(id: ProjectId) {
  return inOrderOfCopying().flatMap((table) =>
    (Object.keys(ACTS) as FencedAct[]).flatMap((act) => {
      const isOwn = isRowOf(table, ACTS[act], id);
      return isOwn === null ? [] : [{ table, act, isOwn }];
    }),
  );
}
