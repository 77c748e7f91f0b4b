import type { SQL } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Usage } from "../models/outcome.ts";
import { countUses, type Use, type When } from "./store.ts";

/**
 * Usage of the models, which the operator pays: calls with their intent, tokens with their answer. A call
 * whose answer was lost, or cannot be used, counts.
 */
const count = (db: Db, projectId: ProjectId, use: Use, when: When): Statement =>
  countUses(db, { projectId, service: "models" }, [use], when);

/** A call of a language, image or speech model that the same transaction begins. */
export function countCall(
  db: Db,
  projectId: ProjectId,
  operation: "text" | "image" | "speech",
  intended?: SQL,
): Statement {
  return count(db, projectId, { operation, calls: 1, units: 1 }, whenIntended(intended));
}

/** A video of this length, which the same transaction orders. */
export function countVideo(db: Db, projectId: ProjectId, seconds: number, intended: SQL): Statement {
  return count(db, projectId, { operation: "video", calls: 1, units: seconds }, whenIntended(intended));
}

/** The tokens of a call, if the server reports them. */
export function countTokens(
  db: Db,
  projectId: ProjectId,
  { operation, usage }: { readonly operation: string; readonly usage: Usage | undefined },
  held?: SQL,
): Statement[] {
  const { input = null, output = null } = usage ?? {};
  if (input === null && output === null) return [];
  const use = { operation, inputTokens: input ?? 0, outputTokens: output ?? 0 };
  return [count(db, projectId, use, whenIntended(held))];
}

const whenIntended = (condition: SQL | undefined): When => ({ at: Date.now(), ...(condition ? { condition } : {}) });
