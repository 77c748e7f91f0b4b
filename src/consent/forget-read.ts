import type { LoggedIn } from "../channels/ended-logins.ts";
import { forgetChannelComments } from "../comments/forget.ts";
import { deleteSome } from "../conversations/store.ts";
import { isNearlySpent } from "../core/meter.ts";
import { writeTogether } from "../db/client.ts";
import { forgetChannelInsights } from "../insights/store.ts";
import type { Deps } from "../service/deps.ts";

/** Rows of a kind that one statement deletes. */
const AT_ONCE = 500;

/**
 * Deletes what was read of an account: comments, messages, numbers. False if the invocation has no calls left
 * for it: the caller continues. The project's own posts stay.
 */
export async function forgetRead(deps: Deps, channel: Pick<LoggedIn, "id" | "projectId">): Promise<boolean> {
  const { db } = deps;
  const parts = [
    () => forgetChannelComments(db, channel, AT_ONCE),
    () => forgetChannelInsights(db, channel, AT_ONCE),
    async () => (await writeTogether(db, deleteSome(db, channel.id, AT_ONCE))).conversations.length < AT_ONCE,
  ];
  for (const part of parts) {
    while (!isNearlySpent(deps.meter)) if (await part()) break;
  }
  return !isNearlySpent(deps.meter);
}
