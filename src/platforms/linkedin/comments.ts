import { z } from "zod";
import { interpretRead, interpretWrite } from "../answers.ts";
import type { Commenting, CommentOutcome, CommentTarget, FindComment, FindCommentOutcome } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, type Listed, nearestTo, readList } from "../lists.ts";
import { unknown } from "../outcomes.ts";
import type { PlatformPost } from "../publishing.ts";
import { parseBody } from "../request.ts";
import { foldText } from "../similar-text.ts";
import { ORGANIZATION } from "./account.ts";
import { ANY_BODY, dialectOf, encodeUrn, request } from "./api.ts";

/**
 * Comments of a person or a page under their own posts (linkedin.md §4). They go with their post.
 *
 * - Plain text: little text is a post's commentary alone. LinkedIn takes the same comment twice, and about one a minute.
 * - The `*_social_feed` scopes come with the Community Management API only, to administrators of the page; what a person's post
 *   is answered with cannot be read, so nothing is known of a lost one there.
 */
const MAX_UNITS = 1_250;
const LIST_LAG_SECONDS = 600;
const PAGE_SIZE = 50;
const MAX_PAGES = 10;

const Created = z.object({ id: PlatformId });
const Comment = z.object({
  id: PlatformId,
  actor: z.string(),
  message: z.object({ text: z.string().optional() }).optional(),
  created: z.object({ time: z.number() }).optional().catch(undefined),
});
type Comment = z.output<typeof Comment>;
const Comments = z.object({ elements: z.array(Comment) });

const path = ({ id }: PlatformPost): string => `rest/socialActions/${encodeUrn(id)}/comments`;
const madeAt = ({ created }: Comment): number => created?.time ?? Number.NaN;

async function create(context: AccountContext, { post }: CommentTarget, text: string): Promise<CommentOutcome> {
  const json = { actor: context.account.id, object: post.id, message: { text } };
  const answer = await request(context, { method: "POST", path: path(post), json });
  const outcome = interpretWrite(dialectOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind !== "ok") return outcome;
  const named = answer.kind === "answered" ? answer.headers.get("x-restli-id") : null;
  const id = named ?? (answer.kind === "answered" ? parseBody(Created, answer)?.id : null) ?? null;
  return id === null ? unknown("LinkedIn took the comment, but did not say its id.") : { kind: "published", id };
}

async function find(
  context: AccountContext,
  { post }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  if (!context.account.id.startsWith(ORGANIZATION)) {
    return unknown("LinkedIn does not let us read the comments on a person's own posts.");
  }
  const listed = await list(context, post);
  if (listed.kind === "failed") {
    // That it may not be read does not say that it may not be written.
    return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  }
  const same = listed.items
    .filter(({ id, actor }) => !taken.has(id) && actor === context.account.id)
    .filter((comment) => !(madeAt(comment) < since - CLOCK_SLACK_MS))
    .filter(({ message }) => foldText(message?.text ?? "") === foldText(text));
  const ours = nearestTo(since, same, madeAt);
  if (ours) return { kind: "found", id: ours.id };
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than could be looked through.");
}

/** In which order LinkedIn lists them is not documented, so all are read. */
function list(context: AccountContext, post: PlatformPost): Promise<Listed<Comment> | Failure> {
  return readList<Comment, Failure>(MAX_PAGES, async (cursor) => {
    const start = Number(cursor ?? 0);
    const call = { method: "GET", path: path(post), query: { start, count: PAGE_SIZE } } as const;
    const page = interpretRead(dialectOf(context), await request(context, call), Comments, context.now);
    if (page.kind === "failed") return page;
    const { elements: items } = page.value;
    return { kind: "page", items, isLast: items.length < PAGE_SIZE, next: String(start + PAGE_SIZE) };
  });
}

export const comments: Commenting = {
  types: ["post"],
  text: () => ({ max: MAX_UNITS, measure: (value) => value.length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  pace: { most: 1, perSeconds: 60, scope: "account" },
  create,
  find,
};
