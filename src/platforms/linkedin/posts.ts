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
 * Publishing to LinkedIn: one request per post, which may name uploaded files. Lost answers: find.ts.
 *
 * - A header has the id; the body is empty. A success without an id is looked up.
 * - A post with files may be accepted and published later, or never. A page can read that, a person cannot.
 * - LinkedIn refuses a text that it accepted a while ago. The period is undocumented, and the URN that it
 *   names may be wrong: this does not prevent duplicates, and the URN is not used.
 */

/** How late LinkedIn lists a post is not documented. */
const LIST_LAG_SECONDS = 600;
/** Posts with files are accepted first and listed seconds later, rarely minutes. */
const USUAL_LAG_SECONDS = 30;
const CHECK_SECONDS = 5;
/** A post may not be readable right after it was accepted. */
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
    ...(urns.length === 0 ? {} : { content: shownContent(item, urns, content.options.title) }),
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
  };
  const answer = await request(context, { method: "POST", path: "rest/posts", json });
  const outcome = interpretWrite(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind === "failed") return explained(outcome, context, item);
  if (outcome.kind !== "ok") return outcome;
  const id = answer.kind === "answered" ? createdId(answer) : null;
  if (id === null) return unknown("LinkedIn accepted the post, but did not return its id.");
  const post = toPost(id);
  const isSeen = urns.length === 0 || !canRead(context);
  return isSeen ? { kind: "published", post } : { kind: "accepted", post, afterSeconds: 1 };
}

function shownContent({ media }: ContentItem, urns: readonly string[], title: string | undefined) {
  const files = urns.map((id, index) => {
    const altText = media[index]?.altText ?? null;
    return altText === null ? { id } : { id, altText };
  });
  if (files.length > 1) return { multiImage: { images: files } };
  const isTitled = title !== undefined && ["video", "document"].includes(media[0]?.kind ?? "");
  return { media: isTitled ? { ...files[0], title } : files[0] };
}

/** From `x-restli-id`, which may be percent-encoded, or from the end of `location`. */
function createdId({ headers }: Answered): string | null {
  const returned =
    headers.get("x-restli-id") ?? headers.get("x-linkedin-id") ?? headers.get("location")?.split("/").at(-1);
  const id = decoded(returned ?? "");
  return /^urn:li:\w+:\S+$/.test(id) ? id : null;
}

function decoded(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

/** Observed: content administrators may post as the page, but not videos. Other posts still work. */
function explained(failure: Failure, { account }: AccountContext, { media }: ContentItem): Failure {
  const { role } = account.attributes;
  const isLesser = typeof role === "string" && role.startsWith("CONTENT_ADMIN");
  if (failure.reason !== "permission_missing" || !isLesser || media[0]?.kind !== "video") return failure;
  return rejected(
    `LinkedIn may accept a page's videos from its administrators only, and a content administrator connected it. ${failure.message}`,
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
  // The post was accepted: a missing permission to read does not change that.
  if (state.kind === "failed") return state.reason === "permission_missing" ? live : state;
  switch (state.value.lifecycleState) {
    case "PUBLISH_REQUESTED":
      return { kind: "processing", afterSeconds: CHECK_SECONDS };
    case "PUBLISH_FAILED":
      return broken("LinkedIn accepted the post, but could not publish it. Post it again.");
    case "DRAFT":
      return broken("LinkedIn keeps the post as a draft. Publish it at LinkedIn.");
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
    shown: "at_once",
    read: async (_context, { id }) => ({ kind: "found", post: toPost(id) }),
  },
  remove: (context, _type, post) => remove(context, post),
};
