import { and, desc, eq, inArray, isNotNull } from "drizzle-orm";
import type { ProjectId, TokenId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { isValidAt } from "./store.ts";
import { tokensTable } from "./table.ts";
import { MAX_TOKENS, revokeToken } from "./tokens.ts";

/** Access tokens by the person who created them or allowed them, by e-mail address. */

/** The valid ones of a project that a person created, the newest first. */
export function selectCreatedTokens(db: Db, projectId: ProjectId, now: number) {
  return db
    .select({ id: tokensTable.id, name: tokensTable.name, createdBy: tokensTable.createdBy })
    .from(tokensTable)
    .where(and(eq(tokensTable.projectId, projectId), isNotNull(tokensTable.createdBy), isValidAt(now)))
    .orderBy(desc(tokensTable.id))
    .limit(MAX_TOKENS);
}

/** `given`: those of terminals and apps that the person allowed. */
export type CreatedKind = "given" | "all";

/** Revokes those that this person created in the project; returns which. Repeatable. */
export async function revokeCreatedTokens(
  deps: Deps,
  { projectId, email }: { readonly projectId: ProjectId; readonly email: string },
  kind: CreatedKind,
): Promise<readonly TokenId[]> {
  const isOfKind = kind === "all" ? undefined : inArray(tokensTable.via, ["terminal", "app"]);
  const isOf = and(eq(tokensTable.projectId, projectId), eq(tokensTable.createdBy, email), isOfKind);
  const rows = await deps.directory
    .select({ id: tokensTable.id })
    .from(tokensTable)
    .where(and(isOf, isValidAt(Date.now())))
    .limit(MAX_TOKENS);
  for (const { id } of rows) await revokeToken(deps, id, projectId);
  return rows.map(({ id }) => id);
}
