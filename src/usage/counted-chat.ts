import { runBatch } from "../db/client.ts";
import type { Chat } from "../models/chat.ts";
import type { Deps } from "../service/deps.ts";
import { beginModelCall, type ModelCaller } from "./model-calls.ts";
import { countTokens } from "./model-usage.ts";

/**
 * A language model whose calls are counted for a project: each before it is made, its tokens after it. A call
 * beyond a quota or the cost ceiling is not made: `over_quota`.
 */
export function countedChat({ db, config }: Pick<Deps, "db" | "config">, caller: ModelCaller, chat: Chat): Chat {
  return {
    async generate(request) {
      const refused = await beginModelCall({ db, config }, caller, { operation: "text", units: 1 });
      if (refused) return refused;
      const outcome = await chat.generate(request);
      await runBatch(db, countTokens(db, caller.projectId, { operation: "text", usage: outcome.usage }));
      return outcome;
    },
  };
}
