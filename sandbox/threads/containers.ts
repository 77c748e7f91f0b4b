// Containers: unpublished posts. They are not visible and expire after a day.

import { Hono } from "hono";
import { z } from "zod";
import { fetchMedia } from "../media-fetch";
import type { MediaFacts } from "../media-probe";
import { isAac, isOf } from "../media-tracks";
import { badParameter, missingObject } from "../meta/errors";
import { flag, type GraphContext, type GraphEnv, nested, parse, text } from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { statusOf } from "./container-status";
import { lost, named, notReady, unfetchable } from "./errors";
import { publishContainer } from "./publish";
import {
  type ContainerKind,
  type ContainerRow,
  filesOf,
  findContainer,
  findMedia,
  newContainerId,
  type StoredFile,
} from "./store";
import { isTopic, lengthOf, linksIn, topicIn } from "./text";
import { authenticate, misbehaviour, ownAccount, requireScope, type Token } from "./tokens";

const MB = 1024 * 1024;
const MOST_TEXT = 500;
const MOST_LINKS = 5;

const NewContainer = z.object({
  media_type: z.enum(["TEXT", "IMAGE", "VIDEO", "CAROUSEL"]),
  text: text.optional(),
  image_url: text.optional(),
  video_url: text.optional(),
  is_carousel_item: flag.optional(),
  children: z.union([text, z.array(text)]).optional(),
  reply_to_id: text.optional(),
  quote_post_id: text.optional(),
  reply_control: z
    .enum(["everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"])
    .optional(),
  enable_reply_approvals: flag.optional(),
  link_attachment: text.optional(),
  topic_tag: text.optional(),
  alt_text: text.optional(),
  auto_publish_text: flag.optional(),
  poll_attachment: nested(z.record(z.string(), z.string())).optional(),
  text_attachment: nested(z.unknown()).optional(),
  text_entities: nested(z.unknown()).optional(),
  gif_attachment: nested(z.unknown()).optional(),
  is_spoiler_media: flag.optional(),
  is_ghost_post: flag.optional(),
  location_id: text.optional(),
  allowlisted_country_codes: text.optional(),
  crossreshare_to_ig: flag.optional(),
  crossreshare_to_ig_dark_mode: flag.optional(),
});
type NewContainer = z.infer<typeof NewContainer>;

export function containerRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const isAtOnce = (c: GraphContext) => /^(true|1)$/.test(String(c.var.params.auto_publish_text ?? ""));
  const on = operation<GraphEnv>(
    sandbox,
    "threads",
    (c) => (isAtOnce(c) ? "publish" : "upload"),
    misbehaviour(sandbox),
  );

  app.post("/:user/threads", on, async (c) => {
    const token = await authenticate(sandbox, c);
    requireScope(token, "threads_content_publish");
    const account = ownAccount(token, c.req.param("user"));
    const input = parse(c, NewContainer);
    checkInput(sandbox, token, input);
    const made = await filesFor(sandbox, c, account, input);
    const row = insertContainer(sandbox, account, input, made);
    if (!input.auto_publish_text) return c.json({ id: row.id });
    return c.json({ id: publishContainer(sandbox, row) });
  });
  return app;
}

function checkInput(sandbox: Sandbox, token: Token, input: NewContainer): void {
  const words = input.text ?? "";
  if (input.media_type === "TEXT" && words.trim() === "" && !hasAttachment(input)) {
    throw badParameter("Param text is required for media_type TEXT");
  }
  if (lengthOf(sandbox, words) > MOST_TEXT)
    throw badParameter(`Param text must be at most ${MOST_TEXT} characters long.`);
  const links = linksIn(`${words} ${input.link_attachment ?? ""}`);
  if (links.size > MOST_LINKS) {
    throw named(sandbox, "THREADS_API__LINK_LIMIT_EXCEEDED", `A post can have at most ${MOST_LINKS} links.`);
  }
  if (input.topic_tag !== undefined && !isTopic(input.topic_tag)) throw badParameter("Param topic_tag is not valid");
  if ([...(input.alt_text ?? "")].length > 1000)
    throw badParameter("Param alt_text must be at most 1000 characters long");
  const isText = input.media_type === "TEXT";
  const textOnly = [input.link_attachment, input.poll_attachment, input.auto_publish_text, input.text_attachment];
  if (!isText && textOnly.some((one) => one !== undefined && one !== false)) {
    throw badParameter(
      "Param link_attachment, poll_attachment, text_attachment and auto_publish_text are for TEXT only",
    );
  }
  if (input.is_carousel_item && (isText || input.media_type === "CAROUSEL")) {
    throw badParameter("Param is_carousel_item is for images and videos");
  }
  checkParent(sandbox, token, input.reply_to_id);
  if (input.location_id !== undefined) {
    requireScope(token, "threads_location_tagging");
    if (!/^\d+$/.test(input.location_id)) throw badParameter("Param location_id must be a valid location id");
  }
  if (input.quote_post_id !== undefined && !findMedia(sandbox, input.quote_post_id)) {
    throw missingObject(input.quote_post_id, "post");
  }
}

const hasAttachment = ({
  poll_attachment,
  gif_attachment,
  text_attachment,
  quote_post_id,
  link_attachment,
}: NewContainer) =>
  [poll_attachment, gif_attachment, text_attachment, quote_post_id, link_attachment].some((one) => one !== undefined);

function checkParent(sandbox: Sandbox, token: Token, id: string | undefined): void {
  if (id === undefined) return;
  const parent = findMedia(sandbox, id);
  if (!parent) throw missingObject(id, "post");
  // A post that just went live is not available on all servers yet.
  if (sandbox.now() - parent.live_at < sandbox.settings.all.threads_reply_lag_ms) throw lost();
  if (parent.account_id !== token.accountId) requireScope(token, "threads_manage_replies");
}

interface Made {
  readonly files: readonly StoredFile[];
  readonly error: string | null;
}

async function filesFor(sandbox: Sandbox, c: GraphContext, account: string, input: NewContainer): Promise<Made> {
  switch (input.media_type) {
    case "TEXT":
      return { files: [], error: null };
    case "IMAGE":
    case "VIDEO":
      return fetched(sandbox, c, input.media_type, input);
    case "CAROUSEL":
      return { files: carousel(sandbox, account, input.children), error: null };
  }
}

async function fetched(sandbox: Sandbox, c: GraphContext, kind: "IMAGE" | "VIDEO", input: NewContainer): Promise<Made> {
  const url = kind === "IMAGE" ? input.image_url : input.video_url;
  if (url === undefined) throw badParameter(`Param ${kind.toLowerCase()}_url is required`);
  const files = [{ kind, url, alt: input.alt_text ?? null }];
  if (meets(c, "reject_media")) return { files, error: kind === "IMAGE" ? "INVALID_ASPEC_RATIO" : "INVALID_DURATION" };
  if (meets(c, "processing_failed")) return { files, error: kind === "IMAGE" ? "UNKNOWN" : "FAILED_PROCESSING_VIDEO" };
  const answer = await fetchMedia(sandbox, url, c.env.origin);
  if (answer.ok) return { files, error: kind === "IMAGE" ? imageTrouble(answer.facts) : videoTrouble(answer.facts) };
  // An image is fetched at once, a video later.
  if (kind === "IMAGE") throw unfetchable(answer.reason);
  return { files, error: "FAILED_DOWNLOADING_VIDEO" };
}

function imageTrouble({ type, size, width, height }: MediaFacts): string | null {
  if (type !== "image/jpeg" && type !== "image/png") return "UNKNOWN";
  if (size > 8 * MB) return "UNKNOWN";
  return isBeyond(width, height, 10, 10) ? "INVALID_ASPEC_RATIO" : null;
}

function videoTrouble(facts: MediaFacts): string | null {
  const { type, size, width, height, durationMs, frameRate, channels, audioHz } = facts;
  if (type !== "video/mp4" && type !== "video/quicktime") return "FAILED_PROCESSING_VIDEO";
  if (size > 1024 * MB || (width ?? 0) > 1920) return "UNKNOWN";
  if (durationMs === null || durationMs <= 0 || durationMs > 300_000) return "INVALID_DURATION";
  if (frameRate !== null && (frameRate < 22.88 || frameRate > 60.3)) return "INVALID_FRAME_RATE";
  if (!isOf(facts, "h264", "hevc")) return "FAILED_PROCESSING_VIDEO";
  if (!isAac(facts) || (audioHz ?? 0) > 48_000) return "FAILED_PROCESSING_AUDIO";
  if ((channels ?? 0) > 2) return "INVALID_AUDIO_CHANNELS";
  return isBeyond(width, height, 10, 100) ? "INVALID_ASPEC_RATIO" : null;
}

/** True if the aspect ratio is above `most` or below `least`. */
function isBeyond(width: number | null, height: number | null, most: number, least: number): boolean {
  if (!width || !height) return false;
  return width / height > most || height / width > least;
}

function carousel(sandbox: Sandbox, account: string, sent: string | readonly string[] | undefined): StoredFile[] {
  const ids = typeof sent === "string" ? sent.split(",").map((id) => id.trim()) : (sent ?? []);
  if (ids.length < 2 || ids.length > 20) throw badParameter("Param children must have between 2 and 20 elements");
  return ids.flatMap((id) => {
    const child = findContainer(sandbox, id);
    if (!child || child.account_id !== account || !child.is_carousel_item) {
      throw badParameter(`Param children: ${id} is no carousel item`);
    }
    if (statusOf(sandbox, child) !== "FINISHED") throw notReady();
    return filesOf(child);
  });
}

function insertContainer(sandbox: Sandbox, account: string, input: NewContainer, made: Made): ContainerRow {
  const now = sandbox.now();
  const row: ContainerRow = {
    id: newContainerId(sandbox),
    account_id: account,
    media_type: input.media_type satisfies ContainerKind,
    text: input.text ?? "",
    files: JSON.stringify(made.files),
    is_carousel_item: input.is_carousel_item ? 1 : 0,
    reply_to: input.reply_to_id ?? null,
    quoted: input.quote_post_id ?? null,
    link: input.link_attachment ?? [...linksIn(input.text ?? "")][0] ?? null,
    topic_tag: input.topic_tag ?? topicIn(input.text ?? ""),
    error: made.error,
    ready_at: now + sandbox.settings.all.processing_ms,
    created_at: now,
    publish_calls: 0,
    media_id: null,
    live_at: null,
  };
  const columns = Object.keys(row);
  sandbox.db.run(
    `INSERT INTO threads_containers (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
  return row;
}
