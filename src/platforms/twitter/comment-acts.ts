import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { CommentActs } from "../commenting.ts";
import { rejected } from "../outcomes.ts";
import { request } from "./api.ts";
import { X } from "./errors.ts";
import { MODERATION_SCOPE } from "./oauth.ts";

/** Acts on other people's replies in the account's own conversations. Hiding one has a price. */
const Hidden = z.object({ data: z.object({ hidden: z.boolean() }) });

export const acts = {
  async hide(context, { id }, isOn) {
    if (!context.credentials.scopes.includes(MODERATION_SCOPE)) {
      return rejected("The connection lacks the permission to hide replies. Reconnect the account.");
    }
    const answer = await request(context, { method: "PUT", path: `tweets/${id}/hidden`, json: { hidden: isOn } });
    const outcome = interpretRead(X, answer, Hidden, context.now);
    if (outcome.kind === "failed") return outcome;
    return outcome.value.data.hidden === isOn ? { kind: "done" } : rejected("X did not change the reply.");
  },
  like: "X does not let services like this one like posts.",
  remove: "X does not let an account delete other people's replies. Hide it instead.",
} satisfies CommentActs;
