import { z } from "zod";
import { DAY } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, lenient } from "../lists.ts";
import { isAboutParameter } from "../meta/errors.ts";
import { get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { FindOutcome, FindRequest, PlatformPost } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { linkOf, MAX_LIST_PAGES } from "./feed.ts";

/** A Page's stories. Each lists its uploaded photo or video, which identifies our own stories. */

const Story = z.object({
  post_id: PlatformId,
  media_id: lenient(PlatformId),
  url: lenient(z.string()),
});
type Story = z.output<typeof Story>;

export async function findStory(context: AccountContext, mediaId: string, request: FindRequest): Promise<FindOutcome> {
  const listed = await listStories(context, request.since - CLOCK_SLACK_MS);
  if (listed.kind === "failed") return listed;
  const story = listed.items.find((one) => one.media_id === mediaId && !request.taken.has(one.post_id));
  if (story) return { kind: "found", post: toPost(story) };
  const { taken } = request;
  const isAlike = (shown: string) => shown === mediaId;
  if (hasPerhapsOurs(listed.odd, { oldest: request.since - CLOCK_SLACK_MS, taken, isAlike }))
    return perhapsLive("Facebook shows a story with this file, but not its id.");
  return listed.isWhole ? { kind: "absent" } : unknown("Facebook lists more stories than the look-up reads.");
}

/** Nothing of the story is known, and stories have no text: any new one may be ours. */
export async function findAnyStory(context: AccountContext, { since, taken }: FindRequest): Promise<FindOutcome> {
  const listed = await listStories(context, since - CLOCK_SLACK_MS);
  if (listed.kind === "failed") return listed;
  const isNew = listed.odd !== undefined && listed.odd.length > 0;
  if (isNew || listed.items.some(({ post_id }) => !taken.has(post_id)))
    return perhapsLive("Facebook shows a new story, which may be this one.");
  return listed.isWhole ? { kind: "absent" } : unknown("Facebook lists more stories than the look-up reads.");
}

/** Stories exist for a day. Null if the story is not listed, or the list is unreadable. */
export async function readStory(
  context: AccountContext,
  isWanted: (story: Story) => boolean,
): Promise<PlatformPost | null> {
  const listed = await listStories(context, context.now - DAY);
  const story = listed.kind === "failed" ? undefined : listed.items.find(isWanted);
  return story ? toPost(story) : null;
}

function toPost({ post_id, url }: Story): PlatformPost {
  return { id: post_id, secondaryId: null, permalink: linkOf(url) };
}

/** The SDK sends a list as `status`, the documentation one word. The word is sent if the list is refused. */
const AS_LIST = '["PUBLISHED"]';
const AS_WORD = "PUBLISHED";

function listStories(context: AccountContext, since: number): Promise<Listed<Story> | Failure> {
  const graph = graphOf(context);
  let status = AS_LIST;
  const readPage = async (after: string | undefined) => {
    const query = { since: Math.floor(since / 1000), limit: 100, after };
    const request = () => graph.request(get(`${context.account.id}/stories`, { ...query, status }));
    const answer = await request();
    if (status === AS_WORD || !isAboutParameter(answer, "status")) return answer;
    status = AS_WORD;
    return request();
  };
  return graph.list(readPage, Story, MAX_LIST_PAGES);
}
