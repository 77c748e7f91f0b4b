import type { Caller } from "../core/caller.ts";
import { idOf, type TokenId } from "../core/ids.ts";
import type { Permission } from "../core/permissions.ts";
import type { Project } from "./store.ts";

/** For the use cases of the API without a token: a person's session, a client's link, the service itself. */
export function callerWithoutToken(
  { id: projectId, userId, database, isTest, timeZone }: Project,
  permissions: readonly Permission[],
): Caller {
  const place = { projectId, userId, database, isTest, timeZone };
  return { tokenId: idOf<TokenId>(0), ...place, permissions, moneyNeedsPerson: false, remaining: 0 };
}
