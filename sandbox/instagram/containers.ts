// Containers: created, filled, processed until `ready_at`, published within a day. Only timestamps are
// stored; the states follow from them.

import { type Context, Hono } from "hono";
import { z } from "zod";
import { badParameter, GraphError } from "../meta/errors";
import { project } from "../meta/fields";
import { strings } from "../meta/logins";
import { flag, type GraphContext, type GraphEnv, nested, parse, text, wholeNumber } from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { containerView, stateOf } from "./container-status";
import { checkImage, faultOfVideo, fetchFile } from "./files";
import { ContainerShape } from "./shapes";
import { type ContainerKind, type ContainerRow, DAY_MS, findAccount, findContainer, newContainerId } from "./store";
import { accountOf, misbehaviour } from "./tokens";

const ids = z.union([z.array(z.string()), nested(z.array(z.string())), text.transform((value) => value.split(","))]);
const list = <S extends z.ZodType>(item: S) => nested(z.array(item));

const NewContainer = z.object({
  image_url: text.optional(),
  video_url: text.optional(),
  upload_type: z.literal("resumable").optional(),
  media_type: z.enum(["REELS", "STORIES", "CAROUSEL", "VIDEO"]).optional(),
  is_carousel_item: flag.optional(),
  children: ids.optional(),
  caption: text.optional(),
  alt_text: text.max(1000).optional(),
  location_id: text.optional(),
  user_tags: list(z.strictObject({ username: text, x: z.number().optional(), y: z.number().optional() })).optional(),
  collaborators: list(text).optional(),
  share_to_feed: flag.optional(),
  cover_url: text.optional(),
  thumb_offset: wholeNumber.optional(),
  audio_name: text.optional(),
  trial_params: nested(z.strictObject({ graduation_strategy: z.enum(["MANUAL", "SS_PERFORMANCE"]) })).optional(),
  is_ai_generated: flag.optional(),
  product_tags: list(z.unknown()).optional(),
  poll_attachment: nested(z.object({ options: z.array(z.string()).min(2).max(4) })).optional(),
  is_poll_duration_extended: flag.optional(),
  is_comment_prompt_used: flag.optional(),
  branded_content_sponsor_ids: list(text).optional(),
  is_paid_partnership: flag.optional(),
  audio_configuration: nested(z.unknown()).optional(),
  fields: text.optional(),
});
type NewContainer = z.infer<typeof NewContainer>;

export function containerRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.post("/:ig/media", operation<GraphEnv>(sandbox, "instagram", "upload", misbehaviour(sandbox)), async (c) => {
    const input = parse(c, NewContainer);
    const { account, token } = await accountOf(sandbox, c, c.req.param("ig"), {
      scopes: ["instagram_content_publish"],
      task: "CREATE_CONTENT",
    });
    if (input.upload_type !== undefined && token.login === "instagram") {
      throw badParameter("Resumable uploads are not available with Instagram Login");
    }
    checkFields(input);
    checkAddOns(input, token.login === "facebook");
    checkSponsors(sandbox, input);
    countContainer(sandbox, account.id);
    const id = await makeContainer(sandbox, c, account.id, input);
    const version = /^\/(v\d+\.\d+)\//.exec(c.req.path)?.[1] ?? "v27.0";
    const made = findContainer(sandbox, id);
    if (input.fields && made) return c.json(project(containerView(sandbox, made), ContainerShape, input.fields));
    return c.json(
      input.upload_type === undefined
        ? { id }
        : { id, uri: `https://rupload.facebook.com/ig-api-upload/${version}/${id}` },
    );
  });
  return app;
}

const NOT_OF_CHILDREN = [
  "caption",
  "collaborators",
  "is_ai_generated",
  "is_paid_partnership",
  "location_id",
  "share_to_feed",
] as const;

const LABELS = ["is_ai_generated", "is_paid_partnership"] as const;

const kindOf = ({ media_type: type }: NewContainer): ContainerKind => type ?? "IMAGE";

const captionTooLong = () => new GraphError(36004, "The caption was too long.", { subcode: 2207010 });

function checkFields(input: NewContainer): void {
  const { media_type: type, is_carousel_item: isChild, caption = "", image_url, video_url, upload_type } = input;
  if (type === "VIDEO" && !isChild) {
    throw badParameter("The VIDEO value for media_type is no longer supported. Use the REELS media type.", 2207023);
  }
  if (isChild) {
    if (type === "REELS" || type === "STORIES" || type === "CAROUSEL")
      throw badParameter("Not a carousel item", 2207023);
    for (const name of NOT_OF_CHILDREN) {
      if (input[name] !== undefined) throw badParameter(`param ${name} is not allowed for carousel items`);
    }
  }
  if (type === "STORIES" && (caption !== "" || input.collaborators)) {
    throw badParameter("A story takes neither a caption nor collaborators");
  }
  if ([...caption].length > 2200) throw captionTooLong();
  if ((caption.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 30) throw badParameter("Too many hashtags: at most 30");
  if ((caption.match(/@[\w.]+/g) ?? []).length > 20) throw badParameter("Too many mentions: at most 20");
  const given = [image_url, video_url, upload_type, type === "CAROUSEL" ? "" : undefined].filter(
    (one) => one !== undefined,
  );
  if (given.length !== 1) throw badParameter("Exactly one of image_url, video_url, upload_type and children is needed");
  const isVideo = video_url !== undefined || upload_type !== undefined;
  const wantsVideo = type === "REELS" || type === "VIDEO";
  const wantsImage = type === undefined;
  if ((wantsVideo && !isVideo) || (wantsImage && isVideo)) {
    throw badParameter(`The media type ${type ?? "IMAGE"} does not fit what is given`, 2207023);
  }
  if (input.alt_text !== undefined && (isVideo || type !== undefined))
    throw badParameter("alt_text is for images only");
  if (input.cover_url !== undefined && type !== "REELS") throw badParameter("cover_url is for reels only");
  if ((input.collaborators?.length ?? 0) > 3) throw badParameter("At most 3 collaborators");
  if (input.location_id !== undefined && !/^\d+$/.test(input.location_id)) {
    throw badParameter("INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID");
  }
  for (const { x, y } of input.user_tags ?? []) {
    if (type === undefined && !(isFraction(x) && isFraction(y))) {
      throw badParameter("Tags of images need x and y from 0 to 1", 2207036);
    }
    if (wantsVideo && (x !== undefined || y !== undefined)) throw badParameter("Tags of videos have no place", 2207035);
  }
}

const OF_FACEBOOK_LOGIN = [
  "poll_attachment",
  "is_comment_prompt_used",
  "branded_content_sponsor_ids",
  "is_paid_partnership",
  "audio_configuration",
] as const;

/** Checks the features added in 2026, which only Facebook Login supports. */
function checkAddOns(input: NewContainer, isOfFacebook: boolean): void {
  const given = OF_FACEBOOK_LOGIN.filter((name) => input[name] !== undefined && input[name] !== false);
  const [first] = given;
  if (first === undefined) return;
  if (!isOfFacebook) throw badParameter(`${first} is not available with Instagram Login`);
  if (input.media_type === "STORIES") throw badParameter(`${first} is not available for stories`);
  if (given.includes("poll_attachment") && given.includes("is_comment_prompt_used")) {
    throw badParameter("A post has a poll or a comment prompt, not both");
  }
  if ((input.branded_content_sponsor_ids?.length ?? 0) > 2) throw badParameter("At most 2 sponsors");
  if (given.includes("audio_configuration") && input.media_type !== "REELS") {
    throw badParameter("audio_configuration is for reels only");
  }
}

/** A brand is named by its Instagram account. */
function checkSponsors(sandbox: Sandbox, { branded_content_sponsor_ids: ids = [] }: NewContainer): void {
  const unknown = ids.find((id) => !findAccount(sandbox, id));
  if (unknown !== undefined) throw badParameter(`Object with ID '${unknown}' does not exist`, 33);
}

const isFraction = (value: number | undefined) => value !== undefined && value >= 0 && value <= 1;

function countContainer(sandbox: Sandbox, accountId: string): void {
  const made = sandbox.db.first<{ made: number }>(
    "SELECT count(*) AS made FROM instagram_containers WHERE account_id = ? AND created_at > ?",
    accountId,
    sandbox.now() - DAY_MS,
  );
  if ((made?.made ?? 0) < sandbox.settings.all.instagram_containers_per_day) return;
  throw new GraphError(4, "Application request limit reached: too many containers in 24 hours.", { status: 400 });
}

async function makeContainer(
  sandbox: Sandbox,
  c: Context<GraphEnv>,
  accountId: string,
  input: NewContainer,
): Promise<string> {
  const kind = kindOf(input);
  const url = input.image_url ?? input.video_url ?? null;
  const isVideo = input.image_url === undefined && kind !== "CAROUSEL";
  const children = kind === "CAROUSEL" ? checkChildren(sandbox, accountId, input.children ?? []) : [];
  let fault: number | null = null;
  if (url !== null) {
    const facts = await fetchFile(sandbox, url, c.env.origin, isVideo);
    if (meets(c, "reject_media")) throw mediaRefused(isVideo);
    if (isVideo) fault = faultOfVideo(kind, facts);
    else checkImage(sandbox, kind, facts);
    if ((input.thumb_offset ?? 0) > (facts.durationMs ?? Number.POSITIVE_INFINITY)) {
      throw new GraphError(1, "The thumbnail offset is outside the video.", { subcode: 2207057, status: 400 });
    }
  }
  if (isVideo && meets(c, "processing_failed")) fault = 2207026;
  const id = newContainerId(sandbox);
  const now = sandbox.now();
  const readyAt = input.upload_type !== undefined ? null : isVideo ? now + sandbox.settings.all.processing_ms : now;
  sandbox.db.run(
    `INSERT INTO instagram_containers
       (id, account_id, kind, is_child, caption, alt_text, url, is_video, children, error_number,
        labels, ready_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    kind,
    input.is_carousel_item ? 1 : 0,
    input.caption ?? null,
    input.alt_text ?? null,
    url,
    isVideo ? 1 : 0,
    JSON.stringify(children),
    fault,
    JSON.stringify(LABELS.filter((name) => input[name])),
    readyAt,
    now,
  );
  return id;
}

const mediaRefused = (isVideo: boolean) =>
  isVideo
    ? new GraphError(352, "The video format is not supported.", { subcode: 2207026 })
    : new GraphError(36001, "The image format is not supported.", { subcode: 2207005 });

function checkChildren(sandbox: Sandbox, accountId: string, children: readonly string[]): readonly string[] {
  if (children.length < 2 || children.length > 10) {
    throw badParameter("The number of children must be from 2 to 10", 2207028);
  }
  for (const id of children) {
    const child = findContainer(sandbox, id);
    if (!child || child.account_id !== accountId || !child.is_child) {
      throw new GraphError(24, "The media could not be found.", { subcode: 2207006 });
    }
    if (stateOf(sandbox, child) !== "FINISHED") throw notReady();
  }
  return children;
}

export const notReady = () =>
  new GraphError(9007, "Media ID is not available", {
    subcode: 2207027,
    userMessage: "The media is not ready for publishing, please wait for a moment",
  });

/** Starts processing: all bytes of a resumable upload have arrived. */
export function fillContainer(sandbox: Sandbox, id: string, url: string | null, fault: number | null): void {
  sandbox.db.run(
    "UPDATE instagram_containers SET ready_at = ?, error_number = coalesce(error_number, ?), url = ? WHERE id = ?",
    sandbox.now() + sandbox.settings.all.processing_ms,
    fault,
    url,
    id,
  );
}

export const childIds = (container: ContainerRow) => strings(container.children);

/** A container of this account; another account's is reported as missing. */
export function ownContainer(sandbox: Sandbox, c: GraphContext, accountId: string, id: string): ContainerRow {
  const container = findContainer(sandbox, id);
  if (container && container.account_id === accountId) return container;
  c.env.call.operation ??= "publish";
  throw new GraphError(24, "The requested resource does not exist", { subcode: 2207006 });
}
