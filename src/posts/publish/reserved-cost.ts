import type { Db, Statement } from "../../db/client.ts";
import type { Journal } from "../../jobs/journal.ts";
import type { PricedAct } from "../../platforms/pricing.ts";
import type { Content } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { billOf, type Series } from "../../usage/billing.ts";
import { release } from "../../usage/store.ts";
import { plannedItems } from "../content/content.ts";
import type { Post } from "../store.ts";
import { commitStep } from "./publish-journal.ts";

/**
 * What a post costs is reserved for all of its items with the intent of the first one: a thread takes no more
 * rows than a single post, and does not stop at the ceiling between two items. An item's later attempts are
 * reserved one by one. What was reserved for items that were never attempted is released when the job ends.
 */

type Item = Content["items"][number];

export function pricedItem(item: Item | undefined): PricedAct {
  const bytes = item?.media.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
  return { kind: "post", text: item?.text ?? "", bytes };
}

/** How this attempt of an item is reserved; null: by itself. */
export function seriesOf(journal: Journal, items: readonly Item[], index: number): Series | null {
  if (journal.wasBegun(commitStep(index))) return null;
  if (index > 0) return { kind: "further", reservedAt: journal.begunAt(commitStep(0)) };
  return { kind: "first", others: items.slice(1).map(pricedItem) };
}

/** Releases what was reserved for items that were never attempted. */
export function unspentCost(db: Db, journal: Journal, post: Post): Statement[] {
  const { id: postId, projectId, channelType: platform } = post;
  const first = commitStep(0);
  if (!journal.wasBegun(first)) return [];
  const unattempted = plannedItems(post, post.postType).filter((_, index) => !journal.wasBegun(commitStep(index)));
  const acts = unattempted.map(({ text }) => ({ kind: "post", text }) as const);
  const charges = billOf(findPlatform(platform)?.pricing, acts);
  return release(db, { projectId, platform, postId }, { charges, at: journal.begunAt(first) }, journal.hasLease);
}
