import { and, eq, isNull, sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import type { PageSize, PageSizes } from "../platforms/context.ts";
import type { Deps } from "../service/deps.ts";
import type { Channel } from "./store.ts";
import { channelsTable } from "./table.ts";

/**
 * How many items of an account's lists the platform gives at once: a column of the channel, which is read
 * with it anyway. Written when a list was refused as too large, at most once a list and call. After a day
 * every size has grown back to what is requested, and the next write forgets it.
 */
const MAX_LISTS = 16;

/** What the channel remembers, for one context. Storing never fails the call: the next finds out again. */
export function pageSizesOf(
  { db, log }: Pick<Deps, "db" | "log">,
  { id, pageSizes }: Pick<Channel, "id" | "pageSizes">,
): PageSizes {
  const known = new Map<string, PageSize>(Object.entries(pageSizes ?? {}));
  return {
    get: (list) => known.get(list) ?? null,
    async keep(list, size) {
      const forgotten = outdated(known, list, size.at);
      for (const one of forgotten) known.delete(one);
      known.set(list, size);
      // A null removes the key. Two isolates that learn of two lists at once both write theirs.
      const patch = { ...Object.fromEntries(forgotten.map((one) => [one, null])), [list]: size };
      try {
        await db
          .update(channelsTable)
          .set({ pageSizes: sql`json_patch(coalesce(page_sizes, '{}'), ${JSON.stringify(patch)})` })
          .where(and(eq(channelsTable.id, id), isNull(channelsTable.disconnectedAt)));
      } catch (error) {
        log.error("page_size_not_stored", error, { channelId: id });
      }
    },
  };
}

/** The lists that are forgotten as another one is kept: those without a refusal for a day, and the oldest. */
function outdated(known: ReadonlyMap<string, PageSize>, list: string, now: number): readonly string[] {
  const others = [...known].filter(([name]) => name !== list).toSorted(([, a], [, b]) => b.at - a.at);
  return others.filter(([, { at }], place) => now - at > DAY || place >= MAX_LISTS - 1).map(([name]) => name);
}
