import type { AccountContext, Failure, Json } from "../context.ts";
import type { Content, LinkPreview, PrepareOutcome } from "../publishing.ts";
import { serverOf } from "./api.ts";
import { resolveHandle } from "./identity.ts";
import { oldServerRefusal } from "./image-limit.ts";
import { upload } from "./media.ts";
import { type Card, cardLink, NOTHING, Progress } from "./records.ts";
import { toHandle } from "./servers.ts";
import { mentionsIn } from "./text.ts";
import { newKeys } from "./tids.ts";

/**
 * Preparing a post: mentioned accounts, cards of links, files, and last its keys and time. After that the
 * record is complete, and stored before it is sent.
 */
export function progressOf(stored: Json | null): Progress {
  return Progress.safeParse(stored).data ?? NOTHING;
}

type More = Extract<PrepareOutcome, { readonly kind: "more" }>;

export async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const progress = withoutQuestions(content, progressOf(stored));
  const files = content.items.flatMap(({ media }) => media);
  const more = (changed: Partial<Progress>): More => ({
    kind: "more",
    progress: { ...progress, ...changed },
  });
  if (progress.accounts === null) {
    const accounts = await mentionedAccounts(context, content.items.map(({ text }) => text).join("\n"));
    return "kind" in accounts ? accounts.failure : more({ accounts: accounts.found });
  }
  if (progress.cards.length < content.items.length) {
    const card = await readCard(context, content, progress.cards.length);
    return card?.kind === "failed" ? card : more({ cards: [...progress.cards, card?.card ?? null] });
  }
  const file = files[progress.blobs.length];
  if (file) {
    const server = await serverOf(context, { isFresh: false });
    if (server.kind === "failed") return server;
    const refused = await oldServerRefusal(context, server.origin, file);
    if (refused) return refused;
    const uploaded = await upload(context, server.origin, content, file);
    if (uploaded.kind === "failed") return uploaded;
    return { ...more({ blobs: [...progress.blobs, uploaded.blob] }), repeatableBytes: file.bytes };
  }
  // Stored on its own, so that it is durable before the post is sent.
  if (progress.keys === null) return more({ keys: newKeys(context.now, content.items.length), at: context.now });
  return { kind: "ready", progress };
}

/** Without mentions and links nothing is looked up, so their steps are over at once. */
function withoutQuestions(content: Content, progress: Progress): Progress {
  const hasMentions = content.items.some(({ text }) => mentionsIn(text).length > 0);
  const cards = [...progress.cards];
  while (cards.length < content.items.length && cardLink(content, cards.length) === null) cards.push(null);
  return { ...progress, cards, accounts: progress.accounts ?? (hasMentions ? null : {}) };
}

type Accounts = { readonly found: Record<string, string> } | { readonly kind: "failed"; readonly failure: Failure };

/** Texts have at most 3,000 bytes; more mentions than this are spam. */
const MAX_MENTIONS = 20;

/** The accounts that a text mentions. A handle without an account is left out: it stays plain text. */
export async function mentionedAccounts(context: AccountContext, text: string): Promise<Accounts> {
  const found: Record<string, string> = {};
  for (const handle of mentionsIn(text).slice(0, MAX_MENTIONS)) {
    if (toHandle(handle) === null) continue;
    const did = await resolveHandle(context, handle);
    if (typeof did === "string") found[handle] = did;
    else if (did?.reason === "down") return { kind: "failed", failure: did };
  }
  return { found };
}

const MAX_THUMB_BYTES = 1_000_000;
const THUMBS = ["image/jpeg", "image/png", "image/webp"];

/** What an item's link shows; null for nothing. Servers read no pages themselves. */
async function readCard(
  context: AccountContext,
  content: Content,
  index: number,
): Promise<{ readonly kind: "card"; readonly card: Card | null } | Failure | null> {
  const uri = cardLink(content, index);
  const page = uri === null ? null : ((await content.preview?.(uri)) ?? null);
  if (uri === null || page === null) return null;
  const thumb = await thumbOf(context, content, page);
  if (thumb?.kind === "failed") return thumb;
  const { title, description } = page;
  return { kind: "card", card: { uri, title, description, thumb: thumb?.blob ?? null } };
}

/** The uploaded picture of a page; null if it has none that fits, or it cannot be read. */
async function thumbOf(context: AccountContext, content: Content, { image }: LinkPreview) {
  if (image === null || image.bytes > MAX_THUMB_BYTES || !THUMBS.includes(image.mime)) return null;
  const server = await serverOf(context, { isFresh: false });
  if (server.kind === "failed") return server;
  const uploaded = await upload(context, server.origin, content, image);
  const isLeftOut =
    uploaded.kind === "failed" && (uploaded.reason === "rejected" || uploaded.code === "media_unreachable");
  return isLeftOut ? null : uploaded;
}
