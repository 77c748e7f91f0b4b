import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import {
  CLOCK_SLACK_MS,
  hasPerhapsOurs,
  type Listed,
  lenient,
  lenientList,
  nearestTo,
  parseItems,
  readList,
  shownText,
  shownTime,
} from "../lists.ts";
import { perhapsLive, unknown, unreadable } from "../outcomes.ts";
import type { Content, ContentItem, FindOutcome, FindRequest } from "../publishing.ts";
import { foldText } from "../similar-text.ts";
import { canRead, numberIn, timeIn, toPost } from "./account.ts";
import { request, tableOf } from "./api.ts";
import { likeness } from "./commentary.ts";
import { mediaUrns } from "./media.ts";

/**
 * Look-up of a post whose answer was lost: LinkedIn has no idempotency key.
 *
 * - A page's latest posts, unpublished ones included (`viewContext=AUTHOR`). Our file proves a post,
 *   whatever its text. A text must be the same, and not older than the attempt.
 * - A person's posts cannot be read: their outcome stays unknown, and they are not repeated.
 * - The list may show another URN than the answer: a share for a ugcPost, with the same time in its number.
 */
const PAGE_SIZE = 50;
const MAX_PAGES = 10;

const Media = z.object({ id: z.string() });
const ShownContent = z.object({ media: lenient(Media), multiImage: lenient(z.object({ images: lenientList(Media) })) });
const Post = z.object({
  id: z.string().min(1),
  author: lenient(z.string()),
  commentary: shownText,
  createdAt: shownTime,
  publishedAt: shownTime,
  content: z.unknown().optional(),
});
type Post = z.output<typeof Post>;
const Found = z.object({ elements: z.array(z.unknown()) });

export async function find(
  context: AccountContext,
  content: Content,
  stored: Json,
  { index, since, taken }: FindRequest,
): Promise<FindOutcome> {
  const item = content.items[index];
  const urns = stored === null ? [] : mediaUrns(content, stored);
  if (!item || urns === null) return unreadable("The uploaded files of this post are not known.");
  if (!canRead(context)) return unreadable("LinkedIn does not let apps read a person's own posts.");
  const oldest = since - CLOCK_SLACK_MS;
  const listed = await listPosts(context, oldest);
  if (listed.kind === "failed") {
    // A missing permission to read does not prove that the post was not created.
    return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  }
  const posts = listed.items.filter((post) => isRecent(post, oldest) && isOther(post, taken));
  const own = posts.filter(({ author = context.account.id }) => author === context.account.id);
  const outcome = urns.length > 0 ? amongMedia(own, urns, since) : amongTexts(own, item, since, taken);
  if (outcome) return outcome;
  const isAlike = (text: string) => likeness(item.text, text) !== "different";
  if (hasPerhapsOurs(listed.odd, { oldest, taken, isAlike })) return perhapsLive(PERHAPS);
  return listed.isWhole
    ? { kind: "absent" }
    : unknown("The page has more new posts at LinkedIn than the look-up reads.");
}

/** Newest first, back to the attempt. */
function listPosts(context: AccountContext, oldest: number): Promise<Listed<Post> | Failure> {
  return readList<Post, Failure>(MAX_PAGES, async (cursor) => {
    const start = Number(cursor ?? 0);
    const query = {
      q: "author",
      author: context.account.id,
      start,
      count: PAGE_SIZE,
      sortBy: "CREATED",
      viewContext: "AUTHOR",
    };
    const answer = await request(context, { method: "GET", path: "rest/posts", query, restli: "FINDER" });
    const page = interpretRead(tableOf(context), answer, Found, context.now);
    if (page.kind === "failed") return page;
    const { elements } = page.value;
    const { items, odd } = parseItems(Post, elements);
    const last = items.at(-1);
    const isLast = elements.length < PAGE_SIZE || (last !== undefined && !isRecent(last, oldest));
    return { kind: "page", items, odd, isLast, next: String(start + PAGE_SIZE) };
  });
}

function amongMedia(posts: readonly Post[], urns: readonly string[], since: number): FindOutcome | null {
  const ours = posts.filter((post) => mediaOf(post).some((id) => urns.includes(id)));
  const nearest = nearestTo(since, ours, madeAt);
  return nearest ? { kind: "found", post: toPost(nearest.id) } : null;
}

function amongTexts(
  posts: readonly Post[],
  { text, media }: ContentItem,
  since: number,
  taken: ReadonlySet<string>,
): FindOutcome | null {
  const plain = posts.filter((post) => hasContent(post) === media.length > 0);
  // An unreadable text may be ours.
  const alike = plain.map((post) => ({
    post,
    likeness: post.commentary === null ? "similar" : likeness(text, post.commentary),
  }));
  const takenTimes = new Set([...taken].map(timeIn).filter((time) => time !== null));
  const isUnsure = ({ id }: Post) => takenTimes.has(timeIn(id) ?? Number.NaN);
  const same = alike.filter((one) => one.likeness === "same").map(({ post }) => post);
  const nearest = nearestTo(
    since,
    same.filter((post) => !isUnsure(post)),
    madeAt,
  );
  // Without words, any other file would match.
  if (nearest && (media.length === 0 || foldText(text) !== "")) return { kind: "found", post: toPost(nearest.id) };
  return alike.some((one) => one.likeness !== "different") ? perhapsLive(PERHAPS) : null;
}

const PERHAPS = "LinkedIn shows a new post of the page that may be this one.";

function mediaOf(post: Post): string[] {
  const content = ShownContent.safeParse(post.content).data;
  const all = [content?.media, ...(content?.multiImage?.images ?? [])];
  return all.flatMap((one) => one?.id ?? []);
}

/** The content of a text post may be an empty object. */
function hasContent({ content }: Post): boolean {
  return Object.values(content ?? {}).some((one) => one !== undefined && one !== null);
}

/** Not another of our posts, by its URN or by the same number in another kind of URN. */
function isOther({ id }: Post, taken: ReadonlySet<string>): boolean {
  return !taken.has(id) && ![...taken].some((one) => numberIn(one) !== null && numberIn(one) === numberIn(id));
}

/** An unreadable time does not prove age. */
function isRecent(post: Post, oldest: number): boolean {
  return !(madeAt(post) < oldest);
}

function madeAt({ id, createdAt, publishedAt }: Post): number {
  return [createdAt, publishedAt, timeIn(id) ?? Number.NaN].find(Number.isFinite) ?? Number.NaN;
}
