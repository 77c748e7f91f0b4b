// Feed posts, photos and photo stories of a Page: publishing, reading, listing, editing, deleting.

import { type Context, Hono } from "hono";
import { z } from "zod";
import { blobPath } from "../blobs";
import type { Operation } from "../faults";
import { fetchMedia, isBrokenLink } from "../media-fetch";
import { type MediaFacts, probe } from "../media-probe";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { type JsonObject, PhotoShape, PostShape, project, StoryShape } from "./fields";
import {
  authenticate,
  badParameter,
  type FacebookContext,
  type FacebookEnv,
  file,
  flag,
  GraphError,
  misbehaviour,
  missingObject,
  moment,
  nested,
  parse,
  photoRefused,
  requireScopes,
  type Token,
  text,
  wholeNumber,
} from "./graph";
import { tasksOf } from "./oauth";
import { pageOf } from "./paging";
import {
  findPage,
  findPhoto,
  findPost,
  findVideo,
  insertPost,
  isLive,
  isStory,
  newPhotoId,
  newPostId,
  newStoryId,
  type PostRow,
  photoIds,
} from "./store";
import { permalink, photoView, postView } from "./views";

const LONGEST_TEXT = 63_206;
const PHOTO_TYPES = ["image/jpeg", "image/png", "image/bmp", "image/gif", "image/tiff"];
const MINUTE = 60_000;

const Message = text.refine((value) => value.length <= LONGEST_TEXT, `must not exceed ${LONGEST_TEXT} characters`);
const Ignored = { targeting: nested(z.unknown()).optional(), place: text.optional() };
const Schedule = { published: flag.optional(), scheduled_publish_time: moment.optional() };
const ATTACHED = /^attached_media\[(\d+)\]$/;

const Feed = z.object({
  message: Message.optional(),
  link: text.optional(),
  attached_media: nested(
    z.array(nested(z.strictObject({ media_fbid: text.or(z.number().transform(String)) }))),
  ).optional(),
  ...Schedule,
  ...Ignored,
  feed_targeting: nested(z.unknown()).optional(),
  tags: nested(z.unknown()).optional(),
  backdated_time: moment.optional(),
  call_to_action: nested(z.unknown()).optional(),
  child_attachments: nested(z.array(z.unknown()).min(2).max(10)).optional(),
  text_format_preset_id: text.optional(),
  fields: text.optional(),
});

const Photo = z.object({
  url: text.optional(),
  source: file.optional(),
  message: Message.optional(),
  caption: Message.optional(),
  alt_text_custom: text.optional(),
  temporary: flag.optional(),
  ...Schedule,
  ...Ignored,
  fields: text.optional(),
});

const Listing = z.object({
  fields: text.optional(),
  since: moment.optional(),
  until: moment.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});

const Status = z.enum(["PUBLISHED", "ARCHIVED"]);
/** One state, or a list of them, which is what Meta's own description says. */
const Statuses = z.union([Status.transform((one) => [one]), nested(z.array(Status))]);

export function postRoutes(sandbox: Sandbox) {
  const app = new Hono<FacebookEnv>();
  const on = (which: Operation | ((c: Context<FacebookEnv>) => Operation)) =>
    operation<FacebookEnv>(sandbox, "facebook", which, misbehaviour(sandbox));

  app.post("/:page/feed", on("publish"), async (c) => {
    const token = await publisher(sandbox, c, c.req.param("page"));
    const input = parse(gatherAttached(c), Feed);
    const id = await publishFeed(sandbox, c, token, input);
    const post = findPost(sandbox, id);
    return c.json(input.fields && post ? project(postView(sandbox, post), PostShape, input.fields) : { id });
  });

  const photoOperation = (c: FacebookContext) =>
    flag.safeParse(c.var.params.published ?? true).data === false ? "upload" : "publish";
  app.post("/:page/photos", on(photoOperation), async (c) => {
    const token = await publisher(sandbox, c, c.req.param("page"));
    const input = parse(c, Photo);
    const added = await addPhoto(sandbox, c, token, input);
    const photo = findPhoto(sandbox, added.id);
    return c.json(input.fields && photo ? project(photoView(sandbox, photo), PhotoShape, input.fields) : added);
  });

  app.post("/:page/photo_stories", on("publish"), async (c) => {
    const token = await publisher(sandbox, c, c.req.param("page"));
    const { photo_id } = parse(c, z.object({ photo_id: text }));
    const photo = usablePhoto(sandbox, token, photo_id);
    if (meets(c, "reject_media")) throw photoRefused("the sandbox was told to refuse it");
    const id = newStoryId(sandbox);
    insertPost(sandbox, {
      id,
      page_id: pageOfToken(token),
      kind: "photo_story",
      photo_ids: [photo.id],
      live_at: sandbox.now(),
    });
    sandbox.db.run("UPDATE facebook_photos SET post_id = ? WHERE id = ?", id, photo.id);
    return c.json({ success: true, post_id: id });
  });

  for (const edge of ["published_posts", "posts", "feed"]) {
    app.get(`/:page/${edge}`, on("status"), async (c) => {
      const token = await reader(sandbox, c, c.req.param("page"));
      const { fields, since, until, ...paging } = parse(c, Listing);
      const posts = postsOf(sandbox, pageOfToken(token)).filter(
        (post) => !isStory(post.kind) && isListed(sandbox, post, since, until),
      );
      const view = (post: PostRow) => project(postView(sandbox, post), PostShape, fields);
      return c.json(pageOf(sandbox, c, posts, (post) => post.id, paging, view));
    });
  }

  app.get("/:page/scheduled_posts", on("status"), async (c) => {
    const token = await reader(sandbox, c, c.req.param("page"));
    const { fields, since: _since, until: _until, ...paging } = parse(c, Listing);
    const posts = postsOf(sandbox, pageOfToken(token)).filter(
      (post) => post.scheduled_at && !isLive(post, sandbox.now()),
    );
    const view = (post: PostRow) => project(postView(sandbox, post), PostShape, fields);
    return c.json(pageOf(sandbox, c, posts, (post) => post.id, paging, view));
  });

  app.get("/:page/stories", on("status"), async (c) => {
    const token = await reader(sandbox, c, c.req.param("page"));
    const { fields, since, until, status, ...paging } = parse(c, Listing.extend({ status: Statuses.optional() }));
    const isAsked = status === undefined || status.includes("PUBLISHED");
    const stories = postsOf(sandbox, pageOfToken(token)).filter(
      (post) => isAsked && isStory(post.kind) && isListed(sandbox, post, since, until),
    );
    const view = (post: PostRow) => project(storyView(post), StoryShape, fields);
    return c.json(pageOf(sandbox, c, stories, (post) => post.id, paging, view));
  });

  return app;
}

/** Whether a list shows the post by now; `since` and `until` are whole seconds, as the API counts them. */
function isListed(sandbox: Sandbox, post: PostRow, since: number | undefined, until: number | undefined): boolean {
  const at = post.live_at ?? Number.POSITIVE_INFINITY;
  const isShown = isLive(post, sandbox.now()) && at <= sandbox.now() - sandbox.settings.all.facebook_listing_lag_ms;
  return isShown && (since === undefined || at >= since) && (until === undefined || at <= until + 999);
}

function storyView(post: PostRow): JsonObject {
  return {
    post_id: post.id,
    status: "published",
    creation_time: String(Math.floor((post.live_at ?? post.created_at) / 1000)),
    media_type: post.kind === "photo_story" ? "photo" : "video",
    media_id: post.video_id ?? photoIds(post)[0],
    url: permalink(post),
  };
}

function postsOf(sandbox: Sandbox, pageId: string): PostRow[] {
  return sandbox.db.all<PostRow>(
    "SELECT * FROM facebook_posts WHERE page_id = ? ORDER BY live_at DESC, id DESC",
    pageId,
  );
}

// --- who may ---

export function pageOfToken(token: Token): string {
  if (token.pageId === null) throw new GraphError(190, "A Page access token is required.", { subcode: 2069032 });
  return token.pageId;
}

async function pageToken(sandbox: Sandbox, c: FacebookContext, pageId: string): Promise<Token> {
  const token = await authenticate(sandbox, c, ["page"]);
  if (pageId !== "me" && pageId !== token.pageId) {
    if (!findPage(sandbox, pageId)) throw missingObject(pageId, c.req.method.toLowerCase());
    throw new GraphError(200, "(#200) The page access token belongs to another Page.");
  }
  return token;
}

/** The token of a call that publishes on a page: its own page, the scopes, and a person with the task. */
export async function publisher(sandbox: Sandbox, c: FacebookContext, pageId: string): Promise<Token> {
  const token = await pageToken(sandbox, c, pageId);
  requireScopes(token, "pages_manage_posts", "pages_read_engagement", "pages_show_list");
  requireTask(sandbox, token, "CREATE_CONTENT");
  return token;
}

export async function reader(sandbox: Sandbox, c: FacebookContext, pageId: string): Promise<Token> {
  const token = await pageToken(sandbox, c, pageId);
  requireScopes(token, "pages_read_engagement");
  return token;
}

export function requireTask(sandbox: Sandbox, token: Token, task: string): void {
  const page = findPage(sandbox, pageOfToken(token));
  const tasks = page ? tasksOf(page) : [];
  if (tasks.includes(task) || tasks.includes("MANAGE")) return;
  throw new GraphError(200, `(#200) The person lacks the task ${task} on this Page.`);
}

// --- publishing ---

/** The form variant `attached_media[0]={…}` becomes the list it stands for. */
function gatherAttached(c: FacebookContext): FacebookContext {
  const parts = Object.entries(c.var.params).flatMap(([name, value]) => {
    const index = ATTACHED.exec(name)?.[1];
    return index === undefined ? [] : [{ name, index: Number(index), value }];
  });
  if (parts.length === 0) return c;
  const rest = Object.entries(c.var.params).filter(([name]) => !ATTACHED.test(name));
  const list = parts.sort((a, b) => a.index - b.index).map((part) => part.value);
  c.set("params", { ...Object.fromEntries(rest), attached_media: list });
  return c;
}

async function publishFeed(
  sandbox: Sandbox,
  c: FacebookContext,
  token: Token,
  input: z.infer<typeof Feed>,
): Promise<string> {
  const pageId = pageOfToken(token);
  const attached = (input.attached_media ?? []).map((one) => one.media_fbid);
  const hasMessage = input.message !== undefined && input.message.trim() !== "";
  if (!hasMessage && input.link === undefined && attached.length === 0) {
    throw badParameter("Requires one of the params: message, link, attached_media");
  }
  if (new Set(attached).size < attached.length) throw badParameter("A photo is attached twice", 1366051);
  for (const id of attached) usablePhoto(sandbox, token, id);
  if (attached.length > 0 && meets(c, "reject_media")) throw photoRefused("the sandbox was told to refuse it");
  if (input.link !== undefined) await checkLink(input.link);
  const timing = whenLive(sandbox, input, 30 * 24 * 60 * MINUTE);
  // From here to the end no await: what was checked still holds when it is written.
  if (attached.length === 0 && isRepeat(sandbox, pageId, input)) {
    throw new GraphError(506, "(#506) Duplicate status message", {
      userTitle: "Duplicate Status Update",
      userMessage: "This status update is identical to the last one you posted.",
    });
  }
  const id = newPostId(sandbox, pageId);
  insertPost(sandbox, {
    id,
    page_id: pageId,
    kind: "feed",
    message: input.message,
    link: input.link,
    photo_ids: attached,
    ...timing,
  });
  for (const photo of attached) sandbox.db.run("UPDATE facebook_photos SET post_id = ? WHERE id = ?", id, photo);
  return id;
}

function isRepeat(
  sandbox: Sandbox,
  pageId: string,
  input: { message?: string | undefined; link?: string | undefined },
) {
  const last = postsOf(sandbox, pageId).find((post) => isLive(post, sandbox.now()) && !isStory(post.kind));
  if (last?.kind !== "feed" || photoIds(last).length > 0) return false;
  return last.message === (input.message ?? null) && last.link === (input.link ?? null);
}

async function checkLink(link: string): Promise<void> {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) throw badParameter("The link is not a valid address", 2061006);
  if (/(^|\.)facebook\.com$/.test(url.host)) throw badParameter("The link cannot be shared", 1609008);
  if (url.host.endsWith(".invalid") || (await isBrokenLink(link))) {
    throw badParameter("The link could not be scraped", 1609005);
  }
}

interface Timing {
  published?: boolean | undefined;
  scheduled_publish_time?: number | undefined;
}

/** When a post becomes live: now, at its scheduled time, or never (unpublished). */
export function whenLive(sandbox: Sandbox, input: Timing, longestMs: number) {
  const isPublished = input.published ?? true;
  const at = input.scheduled_publish_time;
  if (at === undefined)
    return { is_published: isPublished, scheduled_at: null, live_at: isPublished ? sandbox.now() : null };
  if (isPublished) throw badParameter("scheduled_publish_time needs published=false");
  const ahead = at - sandbox.now();
  if (ahead < 10 * MINUTE - 1000 || ahead > longestMs) {
    throw badParameter("The specified scheduled publish time is invalid.");
  }
  return { is_published: false, scheduled_at: at, live_at: at };
}

function usablePhoto(sandbox: Sandbox, token: Token, id: string) {
  if (findVideo(sandbox, id)) throw badParameter(`Media ${id} is a video; only photos can be attached`);
  const photo = findPhoto(sandbox, id);
  const isGone = photo?.temporary && photo.created_at < sandbox.now() - 24 * 60 * MINUTE;
  if (!photo || isGone || photo.page_id !== token.pageId) throw badParameter(`Media ${id} does not exist`, 33);
  if (photo.post_id !== null) throw badParameter("These photos were already posted.", 1366051);
  return photo;
}

async function addPhoto(
  sandbox: Sandbox,
  c: FacebookContext,
  token: Token,
  input: z.infer<typeof Photo>,
): Promise<{ id: string; post_id?: string }> {
  const pageId = pageOfToken(token);
  const { facts, url } = await photoFile(sandbox, c, input);
  if (meets(c, "reject_media") || meets(c, "processing_failed"))
    throw photoRefused("the sandbox was told to refuse it");
  const timing = whenLive(sandbox, input, 30 * 24 * 60 * MINUTE);
  const id = newPhotoId(sandbox);
  const isPost = timing.is_published || timing.scheduled_at !== null;
  const postId = isPost ? newPostId(sandbox, pageId) : null;
  const caption = input.message ?? input.caption ?? null;
  sandbox.db.run(
    `INSERT INTO facebook_photos (id, page_id, url, caption, alt_text, width, height, post_id, temporary, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    pageId,
    url,
    caption,
    input.alt_text_custom ?? null,
    facts.width,
    facts.height,
    postId,
    input.temporary ? 1 : 0,
    sandbox.now(),
  );
  if (postId === null) return { id };
  insertPost(sandbox, { id: postId, page_id: pageId, kind: "photo", message: caption, photo_ids: [id], ...timing });
  return { id, post_id: postId };
}

async function photoFile(
  sandbox: Sandbox,
  c: FacebookContext,
  input: { url?: string | undefined; source?: File | undefined },
): Promise<{ facts: MediaFacts; url: string }> {
  if ((input.url === undefined) === (input.source === undefined)) {
    throw new GraphError(324, "(#324) Requires upload file: exactly one of url and source");
  }
  if (input.source) {
    const blob = sandbox.blobs.create();
    sandbox.blobs.append(blob, new Uint8Array(await input.source.arrayBuffer()));
    const facts = probe(sandbox.blobs.source(blob));
    sandbox.blobs.setType(blob, facts.type);
    checkPhoto(sandbox, facts);
    return { facts, url: blobPath(blob) };
  }
  const url = input.url ?? "";
  const fetched = await fetchMedia(url, c.env.origin);
  if (!fetched.ok) throw new GraphError(389, `(#389) Unable to fetch file URL: ${fetched.reason}`, { status: 400 });
  checkPhoto(sandbox, fetched.facts);
  return { facts: fetched.facts, url };
}

function checkPhoto(sandbox: Sandbox, facts: MediaFacts): void {
  if (!PHOTO_TYPES.includes(facts.type)) throw photoRefused(`this one is ${facts.type}`);
  const most = sandbox.settings.all.facebook_photo_max_bytes;
  if (facts.size > most) throw photoRefused(`this one has ${facts.size} bytes`);
}
