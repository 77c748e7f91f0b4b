// Feed posts, photos and photo stories of a Page: publish, read, list, edit, delete.

import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { isBrokenLink } from "../media-fetch";
import { badParameter, GraphError } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { flag, type GraphContext, type GraphEnv, Listing, moment, nested, parse, text } from "../meta/params";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken, publisher, reader } from "./access";
import { pageOf } from "./paging";
import { addPhoto, Photo, photoRefused, usablePhoto } from "./photos";
import { Ignored, Message, Schedule, whenLive } from "./publishing";
import { PhotoShape, PostShape, StoryShape } from "./shapes";
import {
  DAY_MS,
  findPhoto,
  findPost,
  insertPost,
  isLive,
  isStory,
  newPostId,
  newStoryId,
  type PostRow,
  photoIds,
} from "./store";
import { misbehaviour, type Token } from "./tokens";
import { permalink, photoView, postView } from "./views";

const MONTH_MS = 30 * DAY_MS;

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

const Status = z.enum(["PUBLISHED", "ARCHIVED"]);
/** One status or a list of them, as in Meta's own API description. */
const Statuses = z.union([Status.transform((one) => [one]), nested(z.array(Status))]);

export function postRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation | ((c: Context<GraphEnv>) => Operation)) =>
    operation<GraphEnv>(sandbox, "facebook", which, misbehaviour(sandbox));

  app.post("/:page/feed", on("publish"), async (c) => {
    const token = await publisher(sandbox, c, c.req.param("page"));
    const input = parse(gatherAttached(c), Feed);
    const id = await publishFeed(sandbox, c, token, input);
    const post = findPost(sandbox, id);
    return c.json(input.fields && post ? project(postView(sandbox, post), PostShape, input.fields) : { id });
  });

  const photoOperation = (c: GraphContext) =>
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
    if (meets(c, "reject_media")) throw photoRefused("a setting of the sandbox refuses it");
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
      return c.json(pageOf(sandbox, c, { items: posts, keyOf: (post) => post.id, view }, paging));
    });
  }

  app.get("/:page/scheduled_posts", on("status"), async (c) => {
    const token = await reader(sandbox, c, c.req.param("page"));
    const { fields, since: _since, until: _until, ...paging } = parse(c, Listing);
    const posts = postsOf(sandbox, pageOfToken(token)).filter(
      (post) => post.scheduled_at && !isLive(post, sandbox.now()),
    );
    const view = (post: PostRow) => project(postView(sandbox, post), PostShape, fields);
    return c.json(pageOf(sandbox, c, { items: posts, keyOf: (post) => post.id, view }, paging));
  });

  app.get("/:page/stories", on("status"), async (c) => {
    const token = await reader(sandbox, c, c.req.param("page"));
    const { fields, since, until, status, ...paging } = parse(c, Listing.extend({ status: Statuses.optional() }));
    const isAsked = status === undefined || status.includes("PUBLISHED");
    const stories = postsOf(sandbox, pageOfToken(token)).filter(
      (post) => isAsked && isStory(post.kind) && isListed(sandbox, post, since, until),
    );
    const view = (post: PostRow) => project(storyView(post), StoryShape, fields);
    return c.json(pageOf(sandbox, c, { items: stories, keyOf: (post) => post.id, view }, paging));
  });

  return app;
}

/** Whether lists show the post yet; `since` and `until` are whole seconds, as in the API. */
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

/** Converts the form variant `attached_media[0]={…}` to a list. */
function gatherAttached(c: GraphContext): GraphContext {
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
  c: GraphContext,
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
  if (attached.length > 0 && meets(c, "reject_media")) throw photoRefused("a setting of the sandbox refuses it");
  if (input.link !== undefined) await checkLink(input.link);
  const timing = whenLive(sandbox, input, MONTH_MS);
  // No await from here to the end: the checked conditions still hold at the write.
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
    is_ai_generated: input.is_ai_generated,
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
