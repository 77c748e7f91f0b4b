import type { ProjectId } from "../core/ids.ts";
import { type Db, runBatch } from "../db/client.ts";
import type { Chat } from "../models/chat.ts";
import { countCall, countTokens } from "./model-usage.ts";

/** A language model whose calls are counted for a project: each before it is made, its tokens after it. */
export function countedChat(db: Db, projectId: ProjectId, chat: Chat): Chat {
  return {
    async generate(request) {
      await runBatch(db, [countCall(db, projectId, "text")]);
      const outcome = await chat.generate(request);
      await runBatch(db, countTokens(db, projectId, { operation: "text", usage: outcome.usage }));
      return outcome;
    },
  };
}
