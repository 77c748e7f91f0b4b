import type { Db, Statement } from "../../db/client.ts";
import type { Journal } from "../../jobs/journal.ts";
import type { PricedAct } from "../../platforms/pricing.ts";
import type { Content } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { billOf, type Series } from "../../usage/billing.ts";
import { release } from "../../usage/store.ts";
import { type PlannedItem, plannedItems } from "../content/content.ts";
import type { Post } from "../store.ts";
import { commitStep } from "./publish-journal.ts";

/**
 * What a post costs is reserved for all of its items with the intent of the first one: a thread takes no more
 * rows than a single post, and does not stop at the ceiling between two items. An item's later attempts are
 * reserved one by one. What was reserved for items that were never attempted is released when the job ends.
 */

type Item = Content["items"][number];

/** The item as planned, before its files are probed: so exactly what was reserved is released. */
export function pricedItem(post: Post, items: readonly Item[], index: number): PricedAct {
  const { text, altTexts } = plannedItems(post, post.postType)[index] ?? NOTHING;
  const bytes = items[index]?.media.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  return { kind: "post", text, altTexts: altTexts.filter((one) => one !== null).length, bytes };
}

const NOTHING: Pick<PlannedItem, "text" | "altTexts"> = { text: "", altTexts: [] };

/** How this attempt of an item is reserved; null: by itself. */
export function seriesOf(journal: Journal, post: Post, items: readonly Item[], index: number): Series | null {
  if (journal.wasBegun(commitStep(index))) return null;
  if (index > 0) return { kind: "further", reservedAt: journal.begunAt(commitStep(0)) };
  return { kind: "first", others: items.slice(1).map((_, at) => pricedItem(post, items, at + 1)) };
}

/** Releases what was reserved for items that were never attempted. */
export function unspentCost(db: Db, journal: Journal, post: Post): Statement[] {
  const { id: postId, projectId, channelType: platform } = post;
  const first = commitStep(0);
  if (!journal.wasBegun(first)) return [];
  const acts = plannedItems(post, post.postType).flatMap((_, index) =>
    journal.wasBegun(commitStep(index)) ? [] : [pricedItem(post, [], index)],
  );
  const charges = billOf(findPlatform(platform)?.pricing, acts);
  return release(db, { projectId, platform, postId }, { charges, at: journal.begunAt(first) }, journal.hasLease);
}
