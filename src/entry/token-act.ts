import type { Context } from "hono";
import { beginAct, commandOf, endAct } from "../audit/store.ts";
import type { Caller } from "../core/caller.ts";
import type { AppEnv } from "../http/environment.ts";
import type { AnyContract } from "../http/operation.ts";
import type { BeginCommand } from "../people/operator.ts";

/** The audit log's part of requests: an entry is written before the act, and its outcome after it. */

/** The entry of a request with an access token; other requests have none. */
export function tokenAct(c: Context<AppEnv>, at: number) {
  let id: number | null = null;
  return {
    async begin(
      { id: action, audited }: Pick<AnyContract, "id" | "audited">,
      { projectId, tokenId }: Caller,
    ): Promise<void> {
      if (!audited) return;
      const act = { projectId, at, source: "token", actor: String(tokenId), action, path: c.req.path } as const;
      id = await beginAct(c.var.deps.db, act);
    },
    /** A request that is refused changed nothing. After an error of the service the outcome is unknown. */
    async end(): Promise<void> {
      const { status } = c.res;
      if (id === null || status >= 500) return;
      const ending = endAct(c.var.deps, id, status === 200 ? "done" : "nothing");
      if (status === 200) c.executionCtx.waitUntil(ending);
      else await ending;
    },
  };
}

/** The entry of an operator's command about a project; the returned function notes how it ended. */
export const beginCommand: BeginCommand = async (deps, projectId, { command, action }) => {
  const id = await beginAct(deps.db, commandOf(projectId, command, action));
  return (outcome) => endAct(deps, id, outcome);
};
