import { plural } from "../core/text.ts";
import type { Webhook } from "../deliveries/table.ts";

/** What the operations of webhooks report, in the API and in the console. */
export const DELETED = "The webhook was deleted.";
export const ROTATED = "Messages are signed with the new secret from now on, and for a day also with the previous one.";
export const TEST_SENT = "The test event is being sent.";
export const SENT_AGAIN = "The message is being sent again.";

export const stateSentence = ({ state }: Pick<Webhook, "state">): string => `The webhook is ${state}.`;
export const replaySentence = (count: number): string =>
  `${plural(count, "message")} ${count === 1 ? "is" : "are"} sent again.`;
