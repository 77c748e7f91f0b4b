import { z } from "zod";
import { act, nextCursor, Paging, read } from "./facebook-graph.ts";
import type { AccountContext, Failure, FindOutcome, FindRequest, Unknown } from "./platform.ts";

/**
 * Looking for a Facebook post whose answer was lost.
 *
 * A photo that we uploaded can be in one post only, so a post that shows it is ours, and a video is asked by its id
 * (facebook-posts.ts). Plain text has no such mark: it must be the same to the letter, and the post no older than the
 * attempt. Lists lag by seconds.
 */

/** The clocks of both sides may differ by this much. */
const CLOCK_SLACK_MS = 60_000;
const MAX_LIST_PAGES = 3;

const Target = z.object({ target: z.object({ id: z.string().optional() }).nullish() });
const Attachment = Target.extend({
  media_type: z.string().optional(),
  subattachments: z.object({ data: z.array(Target) }).optional(),
});
const Post = z.object({
  id: z.string(),
  message: z.string().optional(),
  created_time: z.string(),
  permalink_url: z.string().optional(),
  attachments: z.object({ data: z.array(Attachment) }).optional(),
});
type Post = z.output<typeof Post>;
const Posts = z.object({
  data: z.array(Post),
  paging: Paging.optional(),
});

export interface Wanted {
  readonly text: string;
  readonly photos: readonly string[];
}

export async function findInFeed(context: AccountContext, wanted: Wanted, request: FindRequest): Promise<FindOutcome> {
  const listed = await listPosts(context, request.since - CLOCK_SLACK_MS);
  if (!Array.isArray(listed)) return listed;
  const matches = listed.filter((post) => !request.taken.has(post.id) && isWanted(post, wanted));
  // With several of the same text, the one made nearest to the attempt.
  const distance = (post: Post) => Math.abs(epochMs(post.created_time) - request.since);
  const [nearest] = matches.toSorted((a, b) => distance(a) - distance(b));
  if (nearest) return { kind: "found", post: { id: nearest.id, permalink: linkOf(nearest.permalink_url) } };
  return { kind: "absent" };
}

async function listPosts(context: AccountContext, since: number): Promise<Post[] | Failure | Unknown> {
  const posts: Post[] = [];
  const fields = "id,message,created_time,permalink_url,attachments{media_type,target{id},subattachments{target{id}}}";
  let after: string | undefined;
  for (let round = 0; round < MAX_LIST_PAGES; round += 1) {
    const query = { fields, since: Math.floor(since / 1000), limit: 100, after };
    const answer = await act(context, read(context, `${context.account.id}/published_posts`, query), Posts);
    if (answer.kind !== "ok") return answer;
    posts.push(...answer.value.data.filter((post) => epochMs(post.created_time) >= since));
    after = nextCursor(answer.value.paging);
    if (after === undefined) break;
  }
  return posts;
}

function isWanted(post: Post, wanted: Wanted): boolean {
  const attachments = post.attachments?.data ?? [];
  const targets = attachments.flatMap((one) => [one, ...(one.subattachments?.data ?? [])]).map((one) => one.target?.id);
  if (wanted.photos.length > 0) return targets.some((id) => id !== undefined && wanted.photos.includes(id));
  // A link in the text makes an attachment too ("share").
  const hasFile = attachments.some(({ media_type: type = "" }) => /^(photo|album|reel|video)/.test(type));
  return comparable(post.message ?? "") === comparable(wanted.text) && !hasFile;
}

function comparable(text: string): string {
  return text.normalize("NFC").replace(/\r\n?/g, "\n").trim();
}

// --- stories ----------------------------------------------------------------------------------------------------

const Stories = z.object({
  data: z.array(
    z.object({ post_id: z.coerce.string(), media_id: z.coerce.string().optional(), url: z.string().optional() }),
  ),
});
const DAY_MS = 24 * 60 * 60_000;

/** Stories list the photo or video that we uploaded for them. */
export async function findStory(
  context: AccountContext,
  mediaId: string | null,
  request: FindRequest,
): Promise<FindOutcome> {
  if (mediaId === null) return { kind: "absent" };
  const answer = await listStories(context, request.since - CLOCK_SLACK_MS);
  if (answer.kind !== "ok") return answer;
  const story = answer.value.data.find((one) => one.media_id === mediaId && !request.taken.has(one.post_id));
  return story ? { kind: "found", post: { id: story.post_id, permalink: linkOf(story.url) } } : { kind: "absent" };
}

export async function storyLink(context: AccountContext, postId: string): Promise<string | null> {
  const answer = await listStories(context, context.now - DAY_MS);
  if (answer.kind !== "ok") return null;
  return linkOf(answer.value.data.find((one) => one.post_id === postId)?.url);
}

function listStories(context: AccountContext, since: number) {
  const query = { status: "PUBLISHED", since: Math.floor(since / 1000) };
  return act(context, read(context, `${context.account.id}/stories`, query), Stories);
}

/** Facebook writes `2026-09-20T08:15:30+0000`: an offset without a colon, which ISO 8601 parsers may refuse. */
function epochMs(time: string): number {
  return Date.parse(time.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}

/** Videos have a relative address. */
export function linkOf(address: string | undefined): string | null {
  return address === undefined ? null : (URL.parse(address, "https://www.facebook.com")?.href ?? null);
}
