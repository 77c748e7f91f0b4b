import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, type Listed, nearestTo } from "../lists.ts";
import { get } from "../meta/graph.ts";
import { unknown } from "../outcomes.ts";
import type { ContentItem, FindOutcome, FindRequest, Publishing } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { ContainerState, readState } from "./containers.ts";
import { progressOf, shownType } from "./content.ts";
import { isLost } from "./errors.ts";
import { likeness } from "./text.ts";

/**
 * What became of a publishing call whose answer was lost.
 *
 * - The container tells whether it is published, but not as which post. PUBLISHED is never published again; one that is
 *   FINISHED may only not be through yet, so it counts as absent until the lists have caught up.
 * - Which post it is, the lists tell: the profile's posts, or for a later item of a thread its replies, by text, time, kind
 *   and the post it answers. Neither names the app or the container.
 * - What resembles ours, or a container of which nothing is known, makes the answer `unknown`.
 */
const MAX_PAGES = 5;
const FIELDS = "id,text,timestamp,permalink,media_type,is_quote_post";

const Post = z.object({
  id: PlatformId,
  text: z.string().nullish(),
  timestamp: z.string().optional(),
  permalink: z.string().nullish(),
  media_type: z.string().optional(),
  is_quote_post: z.boolean().optional(),
  replied_to: z.object({ id: PlatformId.optional() }).nullish(),
});
type Post = z.output<typeof Post>;

export const find: Publishing["find"] = async (context, content, stored, request) => {
  const item = content.items[request.index];
  const { id = null, madeAt = 0 } = progressOf(content, stored).items[request.index]?.own ?? {};
  if (!item || id === null) return unknown("What was made ready at Threads for this post is not known any more.");
  const state = await readContainer(context, id);
  if (typeof state !== "string") return state;
  // What it has become is younger than the container, though perhaps older than the latest call for it.
  const since = Math.min(request.since, madeAt);
  const listed = await list(context, { ...request, since });
  if (listed.kind === "failed") {
    // That it may not be read does not say that it may not be posted.
    return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  }
  const wanted = { item, request: { ...request, since }, isSilent: item.text === "" && state !== "published" };
  return among(listed.items, wanted) ?? undecided(state, listed.isWhole);
};

type State = "published" | "waiting" | "not known";

/** What Threads says of the container; a reading that fails is a failure of the look-up. */
async function readContainer(context: AccountContext, id: string): Promise<State | Failure> {
  const graph = graphOf(context);
  const answer = await graph.request(readState(id));
  if (isLost(answer)) return "not known";
  const state = graph.interpretRead(answer, ContainerState);
  if (state.kind === "failed") return state.reason === "rejected" ? "not known" : state;
  switch (state.value.status) {
    case "PUBLISHED":
      return "published";
    case "IN_PROGRESS":
    case "FINISHED":
    case "ERROR":
    case "EXPIRED":
      return "waiting";
    default:
      return "not known";
  }
}

function undecided(state: State, isWhole: boolean): FindOutcome {
  if (state === "published") return unknown("Threads has published it, but does not list it yet.");
  if (state === "not known") return unknown("Threads does not say what became of the post.");
  return isWhole ? { kind: "absent" } : unknown("The profile has more new posts at Threads than were looked through.");
}

/** The newest first. */
function list(context: AccountContext, { index, since }: FindRequest): Promise<Listed<Post> | Failure> {
  const graph = graphOf(context);
  const isReply = index > 0;
  const query = {
    fields: isReply ? `${FIELDS},replied_to` : FIELDS,
    since: Math.floor((since - CLOCK_SLACK_MS) / 1000),
    limit: 100,
  };
  const path = isReply ? "me/replies" : "me/threads";
  return graph.list((after) => graph.request(get(path, { ...query, after })), Post, MAX_PAGES);
}

interface Wanted {
  readonly item: ContentItem;
  readonly request: FindRequest;
  /** Without a text, and not known to be published: nothing tells ours from another. */
  readonly isSilent: boolean;
}

/** Null where nothing there may be ours. */
function among(posts: readonly Post[], { item, request, isSilent }: Wanted): FindOutcome | null {
  const { previous, since, taken } = request;
  const known = new Set([...taken, ...previous.map(({ id }) => id)]);
  const candidates = posts
    // A time that cannot be read is no proof of age.
    .filter((post) => !known.has(post.id) && !(madeAt(post) < since - CLOCK_SLACK_MS))
    .map((post) => ({ post, verdict: verdictOf(post, item, previous.at(-1)?.id ?? null) }));
  const ours = candidates.filter(({ verdict }) => verdict === "ours" && !isSilent).map(({ post }) => post);
  const nearest = nearestTo(request.since, ours, madeAt);
  if (nearest) {
    return { kind: "found", post: { id: nearest.id, secondaryId: null, permalink: nearest.permalink ?? null } };
  }
  return candidates.some(({ verdict }) => verdict !== "not ours")
    ? unknown("Threads shows a new post of the profile that may be this one, but is not surely the same.")
    : null;
}

function verdictOf(post: Post, item: ContentItem, parent: string | null): "ours" | "perhaps" | "not ours" {
  const { media_type: type = shownType(item), is_quote_post: isQuote = false, replied_to } = post;
  const answered = replied_to?.id;
  const isElsewhere = parent !== null && answered !== undefined && answered !== parent;
  if (type !== shownType(item) || isQuote || isElsewhere) return "not ours";
  const text = likeness(item.text, post.text ?? "");
  if (text === "different") return "not ours";
  return text === "same" && (parent === null || answered === parent) ? "ours" : "perhaps";
}

/** Threads writes `2026-09-20T08:15:30+0000`: an offset without a colon, which ISO 8601 parsers may refuse. */
function madeAt({ timestamp = "" }: Post): number {
  return Date.parse(timestamp.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
}
