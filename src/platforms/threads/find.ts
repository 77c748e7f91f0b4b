import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, lenient, nearestTo, shownText, shownTime } from "../lists.ts";
import { get } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { FindOutcome, FindRequest, Publishing } from "../publishing.ts";
import { graphOf } from "./api.ts";
import { type Container, ContainerState, readState } from "./containers.ts";
import { progressOf, shownType } from "./content.ts";
import { isLost } from "./errors.ts";
import { likeness } from "./text.ts";

/**
 * Looks up the outcome of a publishing call whose answer was lost.
 *
 * - The container shows whether it was published, but not as which post. PUBLISHED is never published again.
 *   FINISHED may change later, so it counts as absent only after the lists have caught up.
 * - The lists show the post: the profile's posts, or its replies for a later item of a thread. It is found by
 *   text, time, kind and the post that it answers. No list names the app or the container.
 * - A similar post, or a container of which nothing is known, makes the outcome `unknown`.
 */
const MAX_PAGES = 5;
const FIELDS = "id,text,timestamp,permalink,media_type,is_quote_post";

const Post = z.object({
  id: PlatformId,
  text: shownText,
  timestamp: shownTime,
  permalink: lenient(z.string()),
  media_type: lenient(z.string()),
  is_quote_post: lenient(z.boolean()),
  replied_to: lenient(z.object({ id: lenient(PlatformId) })),
});
type Post = z.output<typeof Post>;

/** The properties of the wanted post. */
export interface Wanted {
  /** Null if nothing is known of it: the lists decide alone. */
  readonly container: Pick<Container, "id" | "madeAt"> | null;
  readonly text: string;
  /** The media type that Threads shows for it. */
  readonly type: string;
  /** The post that it answers; null if it answers none. */
  readonly parent: string | null;
}

/** Start of the search, and ids of other posts. */
type Since = Pick<FindRequest, "since" | "taken">;

export const find: Publishing["find"] = async (context, content, stored, { index, previous, since, taken }) => {
  const item = content.items[index];
  const container = stored === null ? null : progressOf(content, stored).items[index]?.own;
  if (!item || container === undefined) return unknown(FORGOTTEN);
  const parent = previous.at(-1)?.id ?? null;
  const wanted = { container, text: item.text, type: shownType(item), parent };
  return findWanted(context, wanted, { since, taken: new Set([...taken, ...previous.map(({ id }) => id)]) });
};

const FORGOTTEN = "The container of this post at Threads is unknown.";

export async function findWanted(context: AccountContext, wanted: Wanted, request: Since): Promise<FindOutcome> {
  const { container } = wanted;
  if (container?.id === null) return unknown(FORGOTTEN);
  const state = container === null ? "forgotten" : await readContainer(context, container.id);
  if (typeof state !== "string") return state;
  // The post is younger than the container, but may be older than the latest call for it.
  const since = Math.min(request.since, container?.madeAt ?? request.since);
  const listed = await list(context, wanted.parent !== null, since);
  if (listed.kind === "failed") {
    // A missing permission to read does not imply a missing permission to post.
    return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  }
  const oldest = since - CLOCK_SLACK_MS;
  const { taken } = request;
  const posts = listed.items
    // An unreadable time proves no age.
    .filter((post) => !taken.has(post.id) && !(post.timestamp < oldest));
  const found = among(posts, wanted, { isPublished: state === "published", near: request.since });
  if (found) return found;
  const isAlike = (shown: string) => likeness(wanted.text, shown) !== "different";
  return hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }) ? PERHAPS_OURS : undecided(state, listed.isWhole);
}

type State = "published" | "waiting" | "not known" | "forgotten";

/** Reads the container's status; a failed read fails the look-up. */
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
  if (state === "published") return perhapsLive("Threads has published the post, but does not list it yet.");
  if (state === "not known") return unknown("Threads does not report the outcome of the post.");
  return isWhole ? { kind: "absent" } : unknown("The profile has more new posts at Threads than the look-up reads.");
}

/** Newest first. */
function list(context: AccountContext, isReply: boolean, since: number): Promise<Listed<Post> | Failure> {
  const graph = graphOf(context);
  const query = {
    fields: isReply ? `${FIELDS},replied_to` : FIELDS,
    since: Math.floor((since - CLOCK_SLACK_MS) / 1000),
    limit: 100,
  };
  const path = isReply ? "me/replies" : "me/threads";
  return graph.list((after) => graph.request(get(path, { ...query, after })), Post, MAX_PAGES);
}

/** Null if no listed post may be ours. */
function among(
  posts: readonly Post[],
  wanted: Wanted,
  { isPublished, near }: { readonly isPublished: boolean; readonly near: number },
): FindOutcome | null {
  const candidates = posts
    .map((post) => ({ post, verdict: verdictOf(post, wanted, isPublished) }))
    .filter(({ verdict }) => verdict !== "not ours");
  const ours = candidates.filter(({ verdict }) => verdict === "ours").map(({ post }) => post);
  const nearest = nearestTo(near, ours, ({ timestamp }) => timestamp);
  if (nearest) {
    return { kind: "found", post: { id: nearest.id, secondaryId: null, permalink: nearest.permalink ?? null } };
  }
  return candidates.length > 0 ? PERHAPS_OURS : null;
}

const PERHAPS_OURS = perhapsLive("Threads shows a new post of the profile that may be this one.");

/** `isPublished`: our post certainly exists, so facts that the list omits do not count against a post. */
function verdictOf(post: Post, { text, type, parent }: Wanted, isPublished: boolean): "ours" | "perhaps" | "not ours" {
  const { media_type = type, is_quote_post: isQuote = false, replied_to } = post;
  // Missing if the parent was deleted meanwhile.
  const answered = replied_to?.id ?? null;
  const isElsewhere = parent !== null && answered !== null && answered !== parent;
  if (media_type !== type || isQuote || isElsewhere) return "not ours";
  const like = post.text === null ? "similar" : likeness(text, post.text);
  if (like === "different") return "not ours";
  const hasParent = text !== "" && answered === parent;
  return like === "same" && (hasParent || isPublished) ? "ours" : "perhaps";
}
