import { z } from "zod";
import { partsOf } from "../../core/parts.ts";
import type { AccountContext, Failure, Unknown } from "../context.ts";
import { CLOCK_SLACK_MS, lenient, lenientList, readList, shownTime } from "../lists.ts";
import { perhapsLive, unknown, unreadable } from "../outcomes.ts";
import type { Content, FindOutcome, FindRequest, Publishing } from "../publishing.ts";
import { foldText } from "../similar-text.ts";
import { read } from "./api.ts";
import { probe } from "./session.ts";
import { OWN_NAME, type Publication, publicationOf, type Upload, uploadOf } from "./upload.ts";
import { toPost, type Video, Videos } from "./video.ts";

/**
 * The outcome of the last bytes of an upload whose answer was lost or unclear.
 *
 * - The session reports the video, or the bytes that it expects next: then no video exists.
 * - If the session no longer exists, the channel's uploads are searched. Our file name proves a video to be
 *   this one, or another of our uploads. Without a name, size and title prove it. A video that is not listed
 *   may still exist: the upload is not repeated.
 */
export const find: Publishing["find"] = async (context, content, stored, attempt) => {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const upload = uploadOf(stored);
  if (stored === null) return findListed(context, content, { publication, upload }, attempt);
  if (upload.session === "") return unreadable("The upload session of this post is not known.");
  const { file } = publication;
  const stand = await probe(context, upload.session, file);
  switch (stand.kind) {
    case "whole":
      return { kind: "found", post: toPost(stand.video.id, content.type === "reel") };
    case "partial":
      return stand.next < file.bytes ? { kind: "absent" } : perhapsLive(UNDECIDED);
    case "gone":
      return findListed(context, content, { publication, upload }, attempt);
    case "failed": {
      if (stand.reason !== "rejected") return stand;
      // The session ended with a refusal and repeats it. Only an existing video contradicts it.
      const listed = await findListed(context, content, { publication, upload }, attempt);
      return listed.kind === "unknown" && !listed.mayBeLive ? { kind: "absent" } : listed;
    }
    case "unknown":
      return stand;
  }
};

const UNDECIDED = "YouTube has the whole video, but has not reported its outcome yet.";
const MAX_PAGES = 3;
/** The maximum of ids per call and of items per page. */
const PAGE_SIZE = 50;

const Item = z.object({
  snippet: lenient(z.object({ publishedAt: shownTime })),
  contentDetails: z.object({ videoId: z.string().min(1) }),
});
type Item = z.output<typeof Item>;
const Items = z.object({ items: lenientList(Item), nextPageToken: lenient(z.string()) });

/** When the video was added to the list; its publication time differs. */
function listedAt({ snippet }: Item): number {
  return snippet?.publishedAt ?? Number.NaN;
}

async function findListed(
  context: AccountContext,
  content: Content,
  { publication, upload }: { readonly publication: Publication; readonly upload: Upload },
  attempt: FindRequest,
): Promise<FindOutcome> {
  const ids = await listIds(context, attempt);
  if ("kind" in ids) return ids;
  const videos: Video[] = [];
  for (const some of partsOf(ids, PAGE_SIZE)) {
    const query = { part: "fileDetails,processingDetails,snippet,status", id: some.join(",") };
    const answer = await read(context, "videos", query, Videos);
    if (answer.kind === "failed") return answer;
    videos.push(...(answer.value.items ?? []));
  }
  // Newest first: the earliest of several matches is kept.
  const ours = ids.filter((id) => videos.some((video) => video.id === id && isOurs(video, publication, upload)));
  const first = ours.at(-1);
  if (first !== undefined) return { kind: "found", post: toPost(first, content.type === "reel") };
  if (videos.some((video) => mayBeOurs(video, publication)))
    return perhapsLive("A new video of the channel may be this one. YouTube does not show its file details yet.");
  // The caller waits until the list has caught up with an upload of which nothing is known.
  return isForgotten(upload)
    ? { kind: "absent" }
    : unknown("YouTube no longer knows the upload, and does not list the video.");
}

const isForgotten = ({ session }: Upload): boolean => session === "";

/** It has our title, and YouTube does not show its file details yet. */
function mayBeOurs({ fileDetails, snippet }: Video, { title }: Publication): boolean {
  const { fileName, fileSize } = fileDetails ?? {};
  return fileName === undefined && fileSize === undefined && isSame(snippet?.title, title);
}

function isSame(shown: string | null | undefined, title: string): boolean {
  return typeof shown === "string" && foldText(shown) === foldText(title);
}

/** Videos added since the attempt that belong to no other post, newest first. */
async function listIds(
  context: AccountContext,
  { since, taken }: FindRequest,
): Promise<readonly string[] | Failure | Unknown> {
  const known = context.account.attributes.uploads_playlist;
  const playlistId = typeof known === "string" ? known : context.account.id.replace(/^UC/, "UU");
  const isNew = (item: Item) => !(listedAt(item) < since - CLOCK_SLACK_MS);
  const listed = await readList<Item, Failure>(MAX_PAGES, async (pageToken) => {
    const query = { part: "snippet,contentDetails,status", playlistId, maxResults: PAGE_SIZE, pageToken };
    const answer = await read(context, "playlistItems", query, Items);
    if (answer.kind === "failed") return answer;
    const { items = [], nextPageToken: next = null } = answer.value;
    return { kind: "page", items: items.filter(isNew), isLast: next === null || !items.every(isNew), next };
  });
  // A channel without a video may have no list.
  if (listed.kind === "failed") return listed.reason === "rejected" ? unknown(listed.message) : listed;
  return listed.items.map(({ contentDetails }) => contentDetails.videoId).filter((id) => !taken.has(id));
}

function isOurs({ fileDetails, snippet }: Video, { file, title }: Publication, upload: Upload): boolean {
  const { name } = upload;
  const { fileName, fileSize } = fileDetails ?? {};
  if (fileName === name) return true;
  if (fileName !== undefined && OWN_NAME.test(fileName) && !isForgotten(upload)) return false;
  return fileSize === file.bytes && isSame(snippet?.title, title);
}
