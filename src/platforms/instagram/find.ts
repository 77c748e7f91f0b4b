import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, lenient, nearestTo, shownText, shownTime } from "../lists.ts";
import { get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { FindOutcome, FindRequest, PlatformPost, Publishing } from "../publishing.ts";
import { foldText, isSimilarText, type Likeness } from "../similar-text.ts";
import { graphOf } from "./api.ts";
import { readState } from "./containers.ts";
import { progressOf, published, type Shape, shapeOf } from "./content.ts";
import { countPublished } from "./quota.ts";

/**
 * Looks up the outcome of a publishing call whose answer was lost or unclear (instagram.md §2.10).
 *
 * - The container shows whether it was published, but not as which post. The post is looked up in the list by
 *   caption, kind, number of files and time. No post names its container or its app.
 * - The lost call may still publish a container that is ready. It counts as unpublished only if no similar
 *   post is listed and the list has every post that Instagram has counted since.
 * - An unreadable answer proves nothing.
 */
const MAX_LIST_PAGES = 4;

const Item = z.object({
  id: PlatformId,
  caption: shownText,
  timestamp: shownTime,
  permalink: lenient(z.string()),
  media_type: lenient(z.string()),
  media_product_type: lenient(z.string()),
  children: lenient(z.object({ data: z.array(z.object({ id: PlatformId })) })),
});
export type Item = z.output<typeof Item>;

const FIELDS = "id,caption,timestamp,permalink,media_type,media_product_type,children{id}";
const STORY_FIELDS = "id,timestamp,permalink,media_type,media_product_type";

/** Newest first. Stories have their own list. */
export function listMedia(
  context: AccountContext,
  kind: "media" | "stories",
  { since, maxPages }: { readonly since?: number; readonly maxPages: number },
): Promise<Listed<Item> | Failure> {
  const graph = graphOf(context);
  const from = since === undefined || kind === "stories" ? {} : { since: Math.floor(since / 1000) };
  const query = { fields: kind === "stories" ? STORY_FIELDS : FIELDS, limit: 100, ...from };
  const path = `${context.account.id}/${kind}`;
  return graph.list((after) => graph.request(get(path, { ...query, after })), Item, maxPages);
}

export const find: Publishing["find"] = async (context, content, stored, request) => {
  const shape = shapeOf(content);
  if (shape.kind === "failed") return shape;
  const progress = progressOf(stored);
  const container = published(shape, progress);
  const ids = [...(container ? [container.id] : []), ...progress.former];
  const evidence = stored === null ? "forgotten" : await readEvidence(context, ids);
  if (typeof evidence !== "string") return evidence;
  // If it was published before the latest call, all posts since the container's creation count.
  const begun = container?.isPublished ? Math.min(request.since, container.madeAt) : request.since;
  const since = begun - CLOCK_SLACK_MS;
  const list = shape.kind === "story" ? "stories" : "media";
  const listed = await listMedia(context, list, { since, maxPages: MAX_LIST_PAGES });
  if (listed.kind === "failed") return listed;
  // An unreadable time proves no age.
  const recent = listed.items.filter(({ timestamp }) => !(timestamp < since));
  const free = recent.filter((item) => !request.taken.has(item.id));
  const found = shape.kind === "story" ? amongStories(free, evidence) : amongPosts(free, shape, evidence, request);
  if (found) return found;
  const isAlike = (shown: string) => likenessOf(shape, shown) !== "different";
  if (hasPerhapsOurs(listed.odd, { oldest: since, taken: request.taken, isAlike })) return PERHAPS_OURS;
  if (!listed.isWhole) return unknown("Instagram lists more posts than the look-up reads.");
  return judgeAbsence(context, evidence, since, { list, count: recent.length });
};

/**
 * `not`: no container can have been published. `ready`: none was, according to its current status.
 * `forgotten`: the containers are unknown, and the lists have caught up.
 */
type Evidence = "forgotten" | "published" | "ready" | "not" | "unreadable" | "unsettled";

async function readEvidence(context: AccountContext, ids: readonly string[]): Promise<Evidence | Failure> {
  let evidence: Evidence = "not";
  for (const id of ids) {
    const state = await readState(context, id);
    if (state.kind === "failed") return state;
    if (state.kind === "published") return "published";
    if (state.kind === "expired" || state.kind === "error") continue;
    const own =
      state.kind === "finished" ? "ready" : state.kind === "unreadable" ? ("unreadable" as const) : "unsettled";
    if (evidence === "not" || own === "unreadable") evidence = own;
  }
  return evidence;
}

function amongPosts(
  items: readonly Item[],
  shape: Shape,
  evidence: Evidence,
  { since }: FindRequest,
): FindOutcome | null {
  const alike = items
    .filter((item) => isOfKind(item, shape))
    .map((item) => ({ item, likeness: likenessOf(shape, item.caption) }));
  const same = alike.filter(({ likeness }) => likeness === "same").map(({ item }) => item);
  const ours = nearestTo(since, same, ({ timestamp }) => timestamp);
  const isKnown = evidence !== "forgotten" || foldText(shape.caption) !== "";
  if (ours && isKnown && PERHAPS_PUBLISHED.has(evidence)) return { kind: "found", post: toPost(ours) };
  if (evidence === "published") return NOT_LISTED;
  const isThereAlike = alike.some(({ likeness }) => likeness !== "different");
  return isThereAlike ? PERHAPS_OURS : null;
}

const PERHAPS_PUBLISHED: ReadonlySet<Evidence> = new Set(["forgotten", "published", "unreadable"]);

/** A story shows no caption; only being the single new story identifies it as ours. */
function amongStories(items: readonly Item[], evidence: Evidence): FindOutcome | null {
  const [only, ...others] = items;
  if (only && others.length === 0 && evidence === "published") return { kind: "found", post: toPost(only) };
  if (evidence === "published" && !only) return NOT_LISTED;
  return only ? perhapsLive("Instagram shows a new story, but does not report whether it is this one.") : null;
}

const PERHAPS_OURS = perhapsLive("Instagram shows a new post that is similar to this one, but may be another.");
const NOT_LISTED = perhapsLive("Instagram reports this post as published, but does not list it yet.");

async function judgeAbsence(
  context: AccountContext,
  evidence: Evidence,
  since: number,
  seen: { readonly list: "media" | "stories"; readonly count: number },
): Promise<FindOutcome> {
  if (evidence === "not" || evidence === "forgotten") return { kind: "absent" };
  if (evidence !== "ready") return unknown("Instagram does not report whether it has published this post.");
  const counted = await countPublished(context, since);
  if (typeof counted !== "number") return counted;
  if (counted <= seen.count) return { kind: "absent" };
  const other = seen.list === "media" ? "stories" : "media";
  const more = await listMedia(context, other, { since, maxPages: MAX_LIST_PAGES });
  if (more.kind === "failed") return more;
  const shown = seen.count + more.items.filter(({ timestamp }) => !(timestamp < since)).length;
  return counted <= shown ? { kind: "absent" } : unknown("Instagram has counted a post that it does not list yet.");
}

/** Null for a caption in a form that cannot be compared. */
function likenessOf({ caption }: Shape, shown: string | null): Likeness {
  if (shown === null) return "similar";
  const [sent, seen] = [foldText(caption), foldText(shown)];
  if (sent === seen) return "same";
  return isSimilarText(sent, seen) ? "similar" : "different";
}

/** Facts that the list omits do not count against a post. */
function isOfKind({ media_type: type, media_product_type: product, children }: Item, { kind, children: parts }: Shape) {
  const count = children?.data.length;
  switch (kind) {
    case "carousel":
      return (type ?? "CAROUSEL_ALBUM") === "CAROUSEL_ALBUM" && (count ?? parts.length) === parts.length;
    case "reel":
      return (type ?? "VIDEO") === "VIDEO" && (product ?? "REELS") !== "STORY";
    default:
      return (type ?? "IMAGE") === "IMAGE";
  }
}

function toPost({ id, permalink }: Item): PlatformPost {
  return { id, secondaryId: null, permalink: permalink ?? null };
}
