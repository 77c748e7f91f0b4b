import { z } from "zod";
import type { AccountContext, Json } from "../context.ts";
import { PlatformId } from "../json.ts";
import { errorOf, isGone } from "../meta/errors.ts";
import { get, post, Success } from "../meta/graph.ts";
import type { PostType } from "../names.ts";
import { down, rejected, throttled, unknown } from "../outcomes.ts";
import type {
  CommitOutcome,
  Content,
  PermalinkOutcome,
  PlatformPost,
  PrepareOutcome,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import type { Answered, Lost } from "../request.ts";
import { graphOf, loginOf } from "./api.ts";
import { nextForm, prepareContainers, readState } from "./containers.ts";
import { type Container, type Progress, progressOf, published, shapeOf } from "./content.ts";
import { subcodeOf } from "./errors.ts";
import { find, listMedia } from "./find.ts";
import { quotaRefusal, waitAfterRefusal } from "./quota.ts";

/**
 * Publishing: containers are created and processed (containers.ts), then one call publishes one of them.
 * find.ts looks up lost answers.
 *
 * - Instagram has no idempotency key, and does not document whether a container can be published twice. So a
 *   container is published again only after a look-up found nothing. No other container replaces it while it
 *   may be live.
 * - An id in the answer means that the post is live, even if it is unreadable for weeks.
 */
/** The lag of lists is not documented; other clients look for ten minutes. */
const LIST_LAG_SECONDS = 600;
/** A published container may report "ready" for seconds to minutes. */
const USUAL_LAG_SECONDS = 30;

async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const shape = shapeOf(content);
  if (shape.kind === "failed") return shape;
  // Checked before containers exist: they expire after a day, and the wait may take as long.
  const refusal = stored === null ? await quotaRefusal(context) : null;
  return refusal ?? prepareContainers(context, shape, progressOf(stored));
}

/**
 * Instagram creates 400 containers per account and day (instagram.md §2.6) and has no call that returns how
 * many are left. A carousel takes one for each file and one more.
 */
const preparations: Publishing["preparations"] = {
  pace: { most: 400, perSeconds: 86_400, scope: "account" },
  isCounted(content, stored) {
    const shape = shapeOf(content);
    return shape.kind !== "failed" && nextForm(shape, progressOf(stored)) !== null;
  },
};

const Published = z.object({ id: PlatformId });

async function commit(context: AccountContext, content: Content, stored: Json): Promise<CommitOutcome> {
  const shape = shapeOf(content);
  if (shape.kind === "failed") return shape;
  const progress = progressOf(stored);
  const container = published(shape, progress);
  if (container === null) return prepareAgain(progress, null, "The media were not sent to Instagram.");
  // Published by a call that was refused or lost its answer. Another call could create a second post.
  if (container.isPublished) return unknown("Instagram reports this post as published. Looking it up.");
  const graph = graphOf(context);
  const raw = await graph.request(post(`${context.account.id}/media_publish`, { creation_id: container.id }));
  const answer = graph.interpretWrite(raw, Published);
  if (answer.kind === "ok") {
    return { kind: "published", post: { id: answer.value.id, secondaryId: null, permalink: null } };
  }
  if (answer.kind !== "failed") return answer;
  if (mayBeLive(raw)) return unknown(answer.message);
  const number = subcodeOf(raw);
  if (number === QUOTA) return throttled(answer.message, await waitAfterRefusal(context), null, "account");
  if (!isGone(raw) && !ABOUT_CONTAINER.has(number ?? 0)) return answer;
  return judge(context, progress, container, { number, message: answer.message });
}

const QUOTA = 2207042;
const BLOCKED = 2207051;
const NOT_READY = 2207027;
const LOST_BUILDER = 2207008;
const EXPIRED = 2207020;
const NOT_FOUND = 2207006;
const ABOUT_CONTAINER: ReadonlySet<number> = new Set([NOT_READY, LOST_BUILDER, EXPIRED, NOT_FOUND]);

/** Whether the post may be live in spite of this refusal: Instagram has returned both for live posts. */
function mayBeLive(answer: Answered | Lost): boolean {
  return errorOf(answer)?.code === 4 || subcodeOf(answer) === BLOCKED;
}

const AGAIN_SECONDS = 30;
const MAX_RETURNS = 2;

/** The call did not find the container: it is published, not ready, or expired. */
async function judge(
  context: AccountContext,
  progress: Progress,
  container: Container,
  { number, message }: { readonly number: number | null; readonly message: string },
): Promise<CommitOutcome> {
  const state = await readState(context, container.id);
  switch (state.kind) {
    case "finished":
      if (number !== NOT_READY && progress.returns >= MAX_RETURNS) return prepareAgain(progress, container, message);
      return { kind: "unprepared", progress: waiting(progress, container), message, afterSeconds: AGAIN_SECONDS };
    case "in_progress":
      return { kind: "unprepared", progress: waiting(progress, container), message, afterSeconds: AGAIN_SECONDS };
    case "expired":
    case "error":
      return prepareAgain(progress, container, message);
    case "unreadable":
      if (number !== NOT_READY) return unknown(message);
      return { kind: "unprepared", progress: waiting(progress, container), message, afterSeconds: AGAIN_SECONDS };
    default:
      return unknown(message);
  }
}

function waiting(progress: Progress, container: Container): Progress {
  const containers = progress.containers.map((one) => (one.id === container.id ? { ...one, isFinished: false } : one));
  return { ...progress, containers, returns: progress.returns + 1 };
}

/** Creates all containers again: those of a carousel expire with it. */
function prepareAgain(progress: Progress, container: Container | null, message: string): CommitOutcome {
  const former = container === null ? progress.former : [...progress.former, container.id];
  const next = { ...progress, containers: [], returns: 0, remakes: progress.remakes + 1, former };
  return { kind: "unprepared", progress: next, message, afterSeconds: 5 };
}

const Linked = z.object({ permalink: z.string().min(1).optional() });
/** Lists are readable when a new post is not; new posts are on the first page. */
const FEW = 1;

async function readPermalink(context: AccountContext, post: PlatformPost): Promise<PermalinkOutcome> {
  const answer = await graphOf(context).read(get(post.id, { fields: "id,permalink" }), Linked);
  const permalink = answer.kind === "ok" ? answer.value.permalink : await listedLink(context, post.id);
  if (permalink) return { kind: "found", post: { ...post, permalink } };
  return answer.kind === "ok" ? { kind: "not_yet" } : answer;
}

async function listedLink(context: AccountContext, id: string): Promise<string | null> {
  const listed = await listMedia(context, "media", { maxPages: FEW });
  return listed.kind === "ok" ? (listed.items.find((item) => item.id === id)?.permalink ?? null) : null;
}

/** How many posts are searched for one that Instagram does not find by id. */
const MANY = 20;

async function remove(context: AccountContext, type: PostType, post: PlatformPost): Promise<RemoveOutcome> {
  if (loginOf(context.account) === "instagram") {
    const message =
      "Instagram has no delete call for accounts that are connected with Instagram Login. Delete the post in the Instagram app.";
    return rejected(message, "unsupported_by_platform");
  }
  const graph = graphOf(context);
  const answer = await graph.request({ method: "DELETE", path: post.id });
  if (isGone(answer)) return confirmGone(context, type, post);
  const outcome = graph.interpretRead(answer, Success);
  if (outcome.kind === "ok") return { kind: "removed" };
  // An account without the permission to delete can still publish.
  return outcome.reason === "permission_missing"
    ? rejected(`${outcome.message} Or delete it in the Instagram app.`)
    : outcome;
}

/** Instagram also answers "not found" for posts that it cannot show. Only the list proves a deletion. */
async function confirmGone(context: AccountContext, type: PostType, { id }: PlatformPost): Promise<RemoveOutcome> {
  const listed = await listMedia(context, type === "story" ? "stories" : "media", { maxPages: MANY });
  if (listed.kind === "failed") return listed;
  if (listed.items.some((item) => item.id === id)) return down("Instagram does not find the post, but lists it.");
  return { kind: "removed" };
}

export const posts: Publishing = {
  lists: { lagSeconds: LIST_LAG_SECONDS, usualLagSeconds: USUAL_LAG_SECONDS, refusesRepeat: () => false },
  prepare,
  preparations,
  commit: (context, content, progress) => commit(context, content, progress),
  // Only posts that a look-up found reach this point; they are live.
  confirm: async (_context, _content, _progress, { post: live }) => ({ kind: "live", post: live }),
  find,
  permalink: { shown: "at_once", read: readPermalink },
  remove,
};
