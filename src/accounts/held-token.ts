import { and, eq, sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import type { Deps } from "../service/deps.ts";
import { projectsTable, tokensTable } from "./table.ts";

/**
 * What its holder may know of a token, without anything that it could be recognized by. One D1 call. Throws
 * `token_revoked` if the token was deleted since the request began.
 */
export async function readHeldToken({ directory }: Pick<Deps, "directory">, { tokenId, projectId }: Caller) {
  const [held] = await directory
    .select({
      id: tokensTable.id,
      // Two columns of one name would be merged.
      name: sql<string>`${tokensTable.name}`.as("token_name"),
      projectName: projectsTable.name,
      isTest: projectsTable.isTest,
      timeZone: projectsTable.timeZone,
      permissions: tokensTable.permissions,
      moneyNeedsPerson: tokensTable.moneyNeedsPerson,
      createdAt: tokensTable.createdAt,
      expiresAt: tokensTable.expiresAt,
      lastUsedAt: tokensTable.lastUsedAt,
    })
    .from(tokensTable)
    .innerJoin(projectsTable, eq(projectsTable.id, tokensTable.projectId))
    .where(and(eq(tokensTable.id, tokenId), eq(tokensTable.projectId, projectId)));
  if (held) return held;
  throw new AppError("token_revoked", "This access token was deleted. Create a new one.");
}
