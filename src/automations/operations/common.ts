import { openSession } from "../../connect/session.ts";
import type { As } from "../../http/operation.ts";
import { type Advice, warningSentence } from "../advice.ts";
import { EXAMPLE_AUTOMATION } from "../view-schema.ts";

export const EXAMPLE = {
  ...EXAMPLE_AUTOMATION,
  channels: [12],
  triggers: ["price", "how much"],
  response: exampleResponse(),
};

export function exampleResponse() {
  const { comment_responses, dm_responses } = EXAMPLE_AUTOMATION.response;
  return { comment_responses: [...comment_responses], dm_responses };
}

/** Fields that reads name as the specification does, with their names in requests. */
export const READ_AS = {
  reply_frequency: "frequency",
  triggers: "keywords",
  response: "comment_reply` and `direct_message",
} as const;

/**
 * The answer's `message`: what was done, the warnings, and a connect link for each account owner who has to
 * connect again.
 */
export async function answerSentence(as: As, done: string, { warnings, toReconnect }: Advice): Promise<string> {
  const { deps, caller } = as;
  const byPerson = Map.groupBy(toReconnect, ({ userRef }) => userRef);
  const links = await Promise.all(
    [...byPerson].map(async ([userId, channels]) => {
      const { token, secondsLeft } = await openSession(deps, caller, { userId }, null);
      const words = channels.map(({ sentence }) => sentence).join(" ");
      return `${words} Within ${Math.round(secondsLeft / 60)} minutes here: ${as.origin}/connect/${token}`;
    }),
  );
  return [done, ...warnings.map(warningSentence), ...links].join(" ");
}
