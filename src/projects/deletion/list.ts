import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import { EXPORT_KINDS } from "../export-kinds.ts";
import type { Deletion } from "../table.ts";

/** What is gone of a project, by the names of the export; the service's own rows together. */
export interface GoneList {
  readonly rows: readonly (readonly [kind: string, count: number])[];
  readonly other: number;
  /** Acts at platforms. */
  readonly platformPosts: number;
  readonly logins: number;
  /** What remains at platforms and could not be ended. */
  readonly remaining: { readonly posts: number; readonly campaigns: number; readonly logins: number };
}

/** Not rows of a table: acts at platforms, and bots, of which the sweep forgets the deleted ones. */
const COUNTED = ["platform_posts", "logins", "bots"];

export function goneList({ gone, left }: Deletion): GoneList {
  const rows = EXPORT_KINDS.flatMap(({ name, table }) => {
    const count = Math.max(gone[table.name] ?? 0, gone[name] ?? 0);
    return count > 0 ? [[name, count] as const] : [];
  });
  const exported = EXPORT_KINDS.map(({ table }) => table.name);
  const others = Object.entries(gone).filter(([name]) => !exported.includes(name) && !COUNTED.includes(name));
  return {
    rows,
    other: others.reduce((sum, [, count]) => sum + count, 0),
    platformPosts: gone.platform_posts ?? 0,
    logins: gone.logins ?? 0,
    remaining: { posts: left.posts_live ?? 0, campaigns: left.campaigns ?? 0, logins: left.logins ?? 0 },
  };
}

/** Whether everything of the project is gone, but for what a delivery from before may still write. */
export const isGone = ({ step }: Pick<Deletion, "step">): boolean => step === "last_rows" || step === "done";

export function toDeletionView(deletion: Deletion) {
  const { deletedId, name, requestedAt, step, completedAt } = deletion;
  const { rows, other, platformPosts, logins, remaining } = goneList(deletion);
  return {
    project_id: deletedId,
    project: name,
    requested_at: isoUtc(requestedAt),
    step,
    is_gone: isGone(deletion),
    completed_at: isoUtcOrNull(completedAt),
    gone: Object.fromEntries(rows),
    other_rows: other,
    posts_deleted_at_platforms: platformPosts,
    logins_revoked: logins,
    remaining_at_platforms: remaining,
  };
}
