import type { Statement } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { countUses } from "./store.ts";

/**
 * How often a delivery has read without being charged: look-ups, states and comments. One written
 * row for each project and platform, in the transaction that ends the delivery. A delivery that dies loses
 * these counts: they cost nothing.
 */
export function takeFreeReads({ db, freeReads }: Pick<Deps, "db" | "freeReads">): readonly Statement[] {
  const at = Date.now();
  return freeReads
    .take()
    .map(({ reads, ...used }) => countUses(db, used, [{ operation: "read", calls: reads, units: reads }], { at }));
}
