import { z } from "zod";
import type { AccountContext } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, lenient, lenientList, nearestTo, shownText, shownTime } from "../lists.ts";
import { get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { FindOutcome, FindRequest, PlatformPost } from "../publishing.ts";
import { foldText } from "../similar-text.ts";
import { graphOf } from "./api.ts";
import { likeness } from "./likeness.ts";

/**
 * Looks up a post whose answer was lost in the list of a Page's posts.
 *
 * - Only posts of our own app count: a person or another app may have posted the same.
 * - An uploaded photo can be in one post only, so its id identifies the post. Plain text has no such mark: it
 *   must read the same, on a post that is not older than the attempt. A merely similar post is ambiguous.
 * - Absent means: the list was read completely and lacks it. Lists lag by seconds, sometimes minutes.
 */

/** Pages of a list that one look-up reads; it stops at posts that are older than the attempt. */
export const MAX_LIST_PAGES = 10;

const Target = z.object({
  type: lenient(z.string()),
  media_type: lenient(z.string()),
  target: lenient(z.object({ id: lenient(PlatformId) })),
});
type Target = z.output<typeof Target>;
const Attachment = Target.extend({ subattachments: lenient(z.object({ data: lenientList(Target) })) });
const Post = z.object({
  id: PlatformId,
  message: shownText,
  created_time: shownTime,
  permalink_url: lenient(z.string()),
  application: lenient(z.object({ id: PlatformId })),
  attachments: lenient(z.object({ data: lenientList(Attachment) })),
});
type Post = z.output<typeof Post>;

const ATTACHMENT = "type,media_type,target{id}";
const ATTACHMENTS = `attachments{${ATTACHMENT},subattachments{${ATTACHMENT}}}`;
const FIELDS = `id,message,created_time,permalink_url,application{id},${ATTACHMENTS}`;

export interface Wanted {
  readonly text: string;
  /** Ids of the photos that the post shows; none for plain text, or if they are unknown. */
  readonly photos: readonly string[];
  readonly hasFile: boolean;
}

export async function findInFeed(context: AccountContext, wanted: Wanted, request: FindRequest): Promise<FindOutcome> {
  const since = request.since - CLOCK_SLACK_MS;
  const path = `${context.account.id}/published_posts`;
  const query = { fields: FIELDS, since: Math.floor(since / 1000), limit: 100 };
  const graph = graphOf(context);
  const listed = await graph.list((after) => graph.request(get(path, { ...query, after })), Post, MAX_LIST_PAGES);
  if (listed.kind === "failed") return listed;
  const posts = listed.items.filter((post) => !request.taken.has(post.id));
  const isOurs = (post: Post) => post.application?.id === context.app.id;
  const found =
    wanted.photos.length > 0
      ? amongPhotos(posts, isOurs, wanted.photos, request.since)
      : // A time that cannot be read is no proof of age.
        amongTexts(
          posts.filter((post) => isOurs(post) && !(post.created_time < since)),
          wanted,
          request,
        );
  if (found) return found;
  const isAlike = (shown: string) => likeness(wanted.text, shown) !== "different";
  if (hasPerhapsOurs(listed.odd, { oldest: since, taken: request.taken, isAlike })) return PERHAPS_OURS;
  return listed.isWhole ? { kind: "absent" } : unknown("Facebook lists more posts than the look-up reads.");
}

function amongPhotos(
  posts: readonly Post[],
  isOurs: (post: Post) => boolean,
  photos: readonly string[],
  since: number,
): FindOutcome | null {
  const showing = posts.filter((post) => partsOf(post).some(({ target }) => target?.id && photos.includes(target.id)));
  const ours = nearestTo(since, showing.filter(isOurs), ({ created_time }) => created_time);
  if (ours) return { kind: "found", post: toPost(ours) };
  if (showing.length === 0) return null;
  return perhapsLive("Facebook shows an image of this post in a post that another app created.");
}

function amongTexts(posts: readonly Post[], wanted: Wanted, { since }: FindRequest): FindOutcome | null {
  const { text } = wanted;
  const compared = posts.map((post) => ({
    post,
    hasFile: hasFile(post),
    likeness: post.message === null ? "similar" : likeness(text, post.message),
  }));
  const isOfKind = (one: { readonly hasFile: boolean }) => one.hasFile === wanted.hasFile;
  const same = compared.filter((one) => isOfKind(one) && one.likeness === "same").map(({ post }) => post);
  const ours = nearestTo(since, same, ({ created_time }) => created_time);
  // With mentions, two different texts may both match.
  const isSure = new Set(same.map(({ message }) => foldText(message ?? ""))).size === 1;
  // Without words, any other file would match.
  if (ours && isSure && foldText(text) !== "") return { kind: "found", post: toPost(ours) };
  // Facebook may show a link to one of its photos or videos as an attachment.
  const mayEmbed = /https?:|www\.|facebook\.|fb\./i.test(text);
  const mayBeOurs = compared.some((one) => one.likeness !== "different" && (isOfKind(one) || mayEmbed));
  return mayBeOurs ? PERHAPS_OURS : null;
}

const PERHAPS_OURS = perhapsLive("Facebook shows a new post that is similar to this one, but not the same.");

function toPost({ id, permalink_url }: Post): PlatformPost {
  return { id, secondaryId: null, permalink: linkOf(permalink_url) };
}

function partsOf(post: Post): Target[] {
  return (post.attachments?.data ?? []).flatMap((one) => [one, ...(one.subattachments?.data ?? [])]);
}

/**
 * Whether a post has files of its own, which our text post has not. Facebook also attaches a preview for a
 * link in the text: a `share`, or a `video_share_youtube` whose `media_type` may be "video".
 */
function hasFile(post: Post): boolean {
  return (post.attachments?.data ?? []).some(({ type, media_type }) => {
    if (type?.includes("share")) return false;
    return /^(photo|album|reel)$/.test(media_type ?? "") || /^(photo|album|new_album|video|reel)/.test(type ?? "");
  });
}

/** Videos have a relative address. */
export function linkOf(address: string | null | undefined): string | null {
  return address ? (URL.parse(address, "https://www.facebook.com")?.href ?? null) : null;
}
