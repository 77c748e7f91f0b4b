import type { SQL } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Usage } from "../models/outcome.ts";
import { countUses } from "./store.ts";

/**
 * The tokens of a call of a model, if the server reports them: counted with its answer. The call itself was
 * counted before it (model-calls.ts), also one whose answer was lost or cannot be used.
 */
export function countTokens(
  db: Db,
  projectId: ProjectId,
  { operation, usage }: { readonly operation: string; readonly usage: Usage | undefined },
  held?: SQL,
): Statement[] {
  const { input = null, output = null } = usage ?? {};
  if (input === null && output === null) return [];
  const use = { operation, inputTokens: input ?? 0, outputTokens: output ?? 0 };
  const when = { at: Date.now(), ...(held ? { condition: held } : {}) };
  return [countUses(db, { projectId, service: "models" }, [use], when)];
}
