import { z } from "zod";
import type { AccountContext, Failure, Unknown } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, lenient, parseItems, readList, shownText, shownTime } from "../lists.ts";
import { perhapsLive, unknown, unreadable } from "../outcomes.ts";
import type { FindOutcome, FindRequest, Publishing } from "../publishing.ts";
import { foldText } from "../similar-text.ts";
import { LIST_SCOPE, read } from "./api.ts";
import { permalinkOf, readTask, toPost } from "./task.ts";
import { type Publication, publicationOf, type Upload, uploadOf } from "./upload.ts";

/**
 * Looks up a public act whose answer was lost or unclear.
 *
 * - The task of a video decides: while it lacks bytes there is no post, and none appears later.
 * - For pictures, and for a video whose task is unknown, only the account's list can show the post. It
 *   contains public posts only, appears late, and shows 150 characters of a caption. A single new post with
 *   this caption that is none of our others is adopted. Its absence proves nothing, so pictures are never sent again.
 */
export const find: Publishing["find"] = async (context, content, stored, attempt) => {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const { video } = publication;
  const upload = uploadOf(stored);
  return video === null || stored === null
    ? findListed(context, publication, upload, attempt)
    : findVideo(context, video.bytes, upload);
};

async function findVideo(context: AccountContext, bytes: number, { publishId }: Upload): Promise<FindOutcome> {
  if (publishId === "") return unreadable("The upload of this post to TikTok is unknown.");
  const task = await readTask(context, publishId);
  switch (task.kind) {
    case "failed":
      return task.reason === "rejected" ? unknown(task.message) : task;
    case "uploading":
      if (task.bytes === null) return unknown("TikTok does not report how much of the video it has.");
      if (task.bytes < bytes) return { kind: "absent" };
      break;
    // `confirm` reports broken posts.
    default:
      break;
  }
  return { kind: "found", post: toPost(context, publishId, null) };
}

const MAX_PAGES = 5;
const PAGE_SIZE = 20;
const SHOWN_CHARACTERS = 150;
/**
 * The maximum number of our other posts whose ids are looked up: TikTok allows about fifteen posts a day per
 * account.
 */
const MAX_TASKS = 20;

const Listed = z.object({
  id: PlatformId,
  title: shownText,
  video_description: shownText,
  create_time: shownTime,
});
type Listed = z.output<typeof Listed>;
const Videos = z.object({
  videos: z.array(z.unknown()).nullish(),
  cursor: lenient(z.coerce.string()),
  has_more: lenient(z.boolean()),
});

async function findListed(
  context: AccountContext,
  { text, video }: Publication,
  { settings }: Upload,
  attempt: FindRequest,
): Promise<FindOutcome> {
  if (settings !== null && settings.privacy !== "PUBLIC_TO_EVERYONE")
    return unreadable("TikTok does not list posts that are not public.");
  if (!context.credentials.scopes.includes(LIST_SCOPE))
    return unreadable("The connection has no permission to list the account's posts at TikTok.");
  const since = attempt.since - CLOCK_SLACK_MS;
  const listed = await listSince(context, since);
  if (listed.kind === "failed") return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  const { taken } = attempt;
  const isShown = (shown: string | null) => isAlike(shown, text);
  const alike = listed.items.filter((one) => !taken.has(one.id) && [one.title, one.video_description].some(isShown));
  if (alike.length === 0 && hasPerhapsOurs(listed.odd, { oldest: since, taken, isAlike: isShown }))
    return perhapsLive("TikTok lists a new post that may be this one, without its id.");
  if (alike.length === 0) return unknown("TikTok does not list the post, but it may be live.");
  const others = await postsOf(context, attempt.taken);
  if ("kind" in others) return others;
  const [first, ...more] = alike.filter(({ id }) => !others.has(id));
  if (!first) return unknown("TikTok lists only our earlier posts, but this one may be live.");
  if (more.length > 0)
    return perhapsLive("The account has several new posts with this caption, so this one cannot be identified.");
  const permalink = permalinkOf(context.account.username, video === null, first.id);
  return { kind: "found", post: { id: first.id, secondaryId: null, permalink } };
}

function listSince(context: AccountContext, since: number) {
  return readList<Listed, Failure>(MAX_PAGES, async (cursor) => {
    const page = await read(
      context,
      "POST",
      {
        path: "video/list/",
        query: { fields: "id,title,video_description,create_time" },
        json: { max_count: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor: Number(cursor) }) },
      },
      Videos,
    );
    if (page.kind === "failed") return page;
    const { videos, cursor: next = null, has_more = false } = page.value;
    const { items, odd } = parseItems(Listed, videos ?? []);
    const isNew = ({ create_time }: Listed) => !(create_time < since);
    return { kind: "page", items: items.filter(isNew), odd, isLast: !has_more || !items.every(isNew), next };
  });
}

/** TikTok may have changed the white space, and shows only the beginning. */
function isAlike(shown: string | null, text: string): boolean {
  const folded = foldText(shown ?? "");
  if (shown === null || folded === "") return false;
  const wanted = foldText(text);
  const isCut = shown.length >= SHOWN_CHARACTERS - 10;
  return folded === wanted || (isCut && wanted.startsWith(foldText(shown.slice(0, SHOWN_CHARACTERS - 10))));
}

/**
 * The post ids of our other posts, of which we may only know the tasks. If one is not known yet, the post in
 * the list may be that one.
 */
async function postsOf(
  context: AccountContext,
  taken: ReadonlySet<string>,
): Promise<ReadonlySet<string> | Failure | Unknown> {
  const tasks = [...taken].filter((id) => id.startsWith("p_"));
  const unsure = perhapsLive("A new post of the account may be this one, or an earlier post of this service.");
  if (tasks.length > MAX_TASKS) return unsure;
  const ids = new Set<string>();
  for (const publishId of tasks) {
    const task = await readTask(context, publishId);
    if (task.kind === "failed") {
      if (task.reason !== "rejected") return task;
      return unsure;
    }
    if (task.kind === "broken") continue;
    if (task.kind !== "complete" || task.postId === null) return unsure;
    ids.add(task.postId);
  }
  return ids;
}
