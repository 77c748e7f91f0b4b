import { z } from "zod";
import { interpretRead, interpretWrite } from "../answers.ts";
import type { AccountContext, Failure, Json } from "../context.ts";
import { rejected, unknown } from "../outcomes.ts";
import type {
  Accepted,
  CommitOutcome,
  ConfirmOutcome,
  Content,
  ContentItem,
  PlatformPost,
  Publishing,
  RemoveOutcome,
} from "../publishing.ts";
import type { Answered } from "../request.ts";
import { canRead, toPost } from "./account.ts";
import { ANY_BODY, encodeUrn, request, tableOf } from "./api.ts";
import { toCommentary } from "./commentary.ts";
import { isGone } from "./errors.ts";
import { find } from "./find.ts";
import { mediaUrns, prepare } from "./media.ts";

/**
 * Publishing at LinkedIn: one request a post, which may name files that went up before. How a post whose
 * answer was lost is looked up: find.ts.
 *
 * - The id comes in a header, the body is empty. A success without an id is a post all the same, and looked
 *   up.
 * - What has files may be accepted and published later, or never: a page reads that, a person cannot.
 * - LinkedIn refuses a text that it has had a while ago, for how long is not told, and names a URN that may
 *   be anything: it protects nothing, and its URN is not believed.
 */

/** How late LinkedIn may list a post is not documented. */
const LIST_LAG_SECONDS = 600;
/** Posts with files are first accepted, and then listed: seconds are usual, minutes are not. */
const USUAL_LAG_SECONDS = 30;
const CHECK_SECONDS = 5;
/** A post that was accepted a moment ago may not be readable yet. */
const UNSEEN_SECONDS = 10;

async function commit(context: AccountContext, content: Content, progress: Json): Promise<CommitOutcome> {
  const [item] = content.items;
  const urns = mediaUrns(content, progress);
  if (!item || urns === null) return rejected("The media of this post were not uploaded.");
  const json = {
    author: context.account.id,
    commentary: toCommentary(item.text),
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(urns.length === 0 ? {} : { content: shownContent(item, urns) }),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
  const answer = await request(context, { method: "POST", path: "rest/posts", json });
  const outcome = interpretWrite(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "failed") return explained(outcome, context, item);
  if (outcome.kind !== "ok") return outcome;
  const id = answer.kind === "answered" ? createdId(answer) : null;
  if (id === null) return unknown("LinkedIn took the post, but did not say its id.");
  const post = toPost(id);
  const isSeen = urns.length === 0 || !canRead(context);
  return isSeen ? { kind: "published", post } : { kind: "accepted", post, afterSeconds: 1 };
}

function shownContent({ media }: ContentItem, urns: readonly string[]) {
  const files = urns.map((id, index) => {
    const altText = media[index]?.altText ?? null;
    return altText === null ? { id } : { id, altText };
  });
  return files.length === 1 ? { media: files[0] } : { multiImage: { images: files } };
}

/** From `x-restli-id`, which may be percent-encoded, or the end of `location`. */
function createdId({ headers }: Answered): string | null {
  const told = headers.get("x-restli-id") ?? headers.get("x-linkedin-id") ?? headers.get("location")?.split("/").at(-1);
  const id = decoded(told ?? "");
  return /^urn:li:\w+:\S+$/.test(id) ? id : null;
}

function decoded(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

/** Seen of content administrators: they may post as the page, but no videos. The page's other posts go on. */
function explained(failure: Failure, { account }: AccountContext, { media }: ContentItem): Failure {
  const { role } = account.attributes;
  const isLesser = typeof role === "string" && role.startsWith("CONTENT_ADMIN");
  if (failure.reason !== "permission_missing" || !isLesser || media[0]?.kind !== "video") return failure;
  return rejected(
    `LinkedIn may take a page's videos from its administrators only, and it was connected by a content administrator. ${failure.message}`,
    "unsupported_by_platform",
  );
}

const State = z.object({ lifecycleState: z.string().optional() });

async function confirm(
  context: AccountContext,
  { items }: Content,
  _progress: Json,
  { post }: Accepted,
): Promise<ConfirmOutcome> {
  const live = { kind: "live", post } as const;
  if (!canRead(context) || items.every(({ media }) => media.length === 0)) return live;
  const call = { method: "GET", path: `rest/posts/${encodeUrn(post.id)}`, query: { viewContext: "AUTHOR" } } as const;
  const answer = await request(context, call);
  if (isGone(answer)) return { kind: "processing", afterSeconds: UNSEEN_SECONDS };
  const state = interpretRead(tableOf(context), answer, State, context.now);
  // It was accepted: that it may not be read is no news of it.
  if (state.kind === "failed") return state.reason === "permission_missing" ? live : state;
  switch (state.value.lifecycleState) {
    case "PUBLISH_REQUESTED":
      return { kind: "processing", afterSeconds: CHECK_SECONDS };
    case "PUBLISH_FAILED":
      return broken("LinkedIn took the post and could not publish it. Post it again.");
    case "DRAFT":
      return broken("LinkedIn keeps the post as a draft. Publish it there by hand.");
    default:
      return live;
  }
}

function broken(message: string): ConfirmOutcome {
  return { kind: "broken", code: "platform_rejected", message };
}

async function remove(context: AccountContext, { id }: PlatformPost): Promise<RemoveOutcome> {
  const answer = await request(context, { method: "DELETE", path: `rest/posts/${encodeUrn(id)}`, restli: "DELETE" });
  if (isGone(answer)) return { kind: "removed" };
  const outcome = interpretRead(tableOf(context), answer, ANY_BODY, context.now);
  return outcome.kind === "failed" ? outcome : { kind: "removed" };
}

export const posts: Publishing = {
  lists: { lagSeconds: LIST_LAG_SECONDS, usualLagSeconds: USUAL_LAG_SECONDS, refusesRepeat: () => false },
  prepare,
  commit,
  confirm,
  find,
  permalink: {
    told: "at_once",
    read: async (_context, { id }) => ({ kind: "told", post: toPost(id) }),
  },
  remove: (context, _type, post) => remove(context, post),
};
