import { type SQL, sql } from "drizzle-orm";
import type { PlatformName } from "../../platforms/names.ts";

/** Bytes of a mark: as many as SQLite stores in six, and as JavaScript counts exactly. */
const BYTES = 6;

/**
 * A number by which the post of a live item is found (table.ts). Two items have the same one at a probability
 * of 2^-48, so who finds a post by it checks the id.
 */
export async function markOf(platform: PlatformName, platformId: string): Promise<number> {
  const text = new TextEncoder().encode(`${platform}:${platformId}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  const value = hash.subarray(0, BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
  return value - 2 ** (BYTES * 8 - 1);
}

export const marksOf = (platform: PlatformName, platformIds: readonly string[]): Promise<number[]> =>
  Promise.all(platformIds.map((id) => markOf(platform, id)));

/** A condition: no post at rest has the mark of this live item. */
export async function isUnmarked(platform: PlatformName, platformId: string): Promise<SQL> {
  const mark = await markOf(platform, platformId);
  return sql`NOT EXISTS (SELECT 1 FROM posts_at_rest WHERE mark IS NOT NULL AND mark = ${mark})`;
}
