// `/{id}`: read, edit and delete any object by id.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { GraphError, missingObject } from "../meta/errors";
import { project } from "../meta/fields";
import { flag, type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { deleteComment, editComment, ownComment, visible } from "./comments";
import { countFields } from "./insights";
import { pageView, userView } from "./pages";
import { CommentShape, PageShape, PhotoShape, PostShape, VideoShape } from "./shapes";
import {
  findComment,
  findPage,
  findPhoto,
  findPost,
  findVideo,
  isLive,
  PERSON,
  type PostRow,
  photoIds,
  removePost,
} from "./store";
import { authenticate, misbehaviour, type Token } from "./tokens";
import { spoil } from "./video-life";
import { videoView } from "./video-view";
import { photoView, postView } from "./views";

const Fields = z.object({ fields: text.optional(), locale: text.optional() });
const Nothing = z.object({});

export function nodeRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: (c: GraphContext) => Operation | null) =>
    operation<GraphEnv>(sandbox, "facebook", which, misbehaviour(sandbox));
  const idOf = (c: GraphContext) => c.req.param("id") ?? "";
  const isAccount = (id: string) => id === "me" || id === PERSON.id || findPage(sandbox, id) !== null;
  const isComment = (id: string) => findComment(sandbox, id) !== null;

  app.get(
    "/:id",
    on((c) => (isAccount(idOf(c)) ? null : isComment(idOf(c)) ? "comments" : "status")),
    async (c) => {
      const { fields } = parse(c, Fields);
      const token = await authenticate(sandbox, c, ["short", "long", "page"]);
      return c.json(readNode(sandbox, c, token, { id: idOf(c), fields }));
    },
  );

  app.post(
    "/:id",
    on((c) => (isComment(idOf(c)) ? "reply" : "publish")),
    async (c) => {
      const token = await authenticate(sandbox, c, ["page"]);
      const id = idOf(c);
      if (isComment(id)) {
        const input = parse(c, z.object({ message: text.optional(), is_hidden: flag.optional() }));
        editComment(sandbox, token, ownComment(sandbox, token, id), input);
        return c.json({ success: true });
      }
      requireScopes(token, "pages_manage_posts");
      const post = ownPost(sandbox, token, id, "post");
      const { message } = parse(c, z.object({ message: text }));
      if (post.made_by !== "own") throw new GraphError(10, "(#10) Only posts of this application can be edited by it.");
      sandbox.db.run(
        "UPDATE facebook_posts SET message = ?, edited_at = ? WHERE id = ?",
        message,
        sandbox.now(),
        post.id,
      );
      return c.json({ success: true });
    },
  );

  app.delete(
    "/:id",
    on(() => "delete"),
    async (c) => {
      const token = await authenticate(sandbox, c, ["page"]);
      parse(c, Nothing);
      deleteNode(sandbox, token, idOf(c));
      return c.json({ success: true });
    },
  );

  return app;
}

interface Wanted {
  id: string;
  fields: string | undefined;
}

function readNode(sandbox: Sandbox, c: GraphContext, token: Token, { id, fields }: Wanted) {
  const self = id === "me" ? (token.pageId ?? PERSON.id) : id;
  if (self === PERSON.id) return userView(c, fields);
  const page = findPage(sandbox, self);
  if (page) return project(pageView(sandbox, c, page, token), PageShape, fields);
  if (token.kind !== "page") throw missingObject(id);
  requireScopes(token, "pages_read_engagement");
  const comment = findComment(sandbox, id);
  if (comment) return project(visible(sandbox, token, ownComment(sandbox, token, id)), CommentShape, fields);
  const post = findPost(sandbox, id);
  if (post && post.page_id === token.pageId && !isHeldBack(sandbox, post)) {
    const counted = countFields(sandbox, token, post, fields ?? "");
    return project({ ...postView(sandbox, post), ...counted }, PostShape, fields);
  }
  const video = findVideo(sandbox, id);
  if (video && video.page_id === token.pageId) {
    if (meets(c, "processing_failed") || meets(c, "reject_media")) spoil(sandbox, id);
    return project(videoView(sandbox, findVideo(sandbox, id) ?? video), VideoShape, fields);
  }
  const photo = findPhoto(sandbox, id);
  if (photo && photo.page_id === token.pageId) return project(photoView(sandbox, photo), PhotoShape, fields);
  throw missingObject(id);
}

/** The post of a video exists only after processing; other posts exist immediately. */
function isHeldBack(sandbox: Sandbox, post: PostRow): boolean {
  return (
    post.video_id !== null && post.scheduled_at === null && post.is_published === 1 && !isLive(post, sandbox.now())
  );
}

function ownPost(sandbox: Sandbox, token: Token, id: string, method: string): PostRow {
  const post = findPost(sandbox, id);
  if (!post || post.page_id !== token.pageId) throw missingObject(id, method);
  return post;
}

function deleteNode(sandbox: Sandbox, token: Token, id: string): void {
  if (findPage(sandbox, id) || id === PERSON.id) {
    throw new GraphError(3, "(#3) Application does not have the capability to make this API call.");
  }
  if (findComment(sandbox, id)) {
    deleteComment(sandbox, token, ownComment(sandbox, token, id));
    return;
  }
  requireScopes(token, "pages_manage_posts");
  const post = findPost(sandbox, id);
  const video = findVideo(sandbox, id);
  const photo = findPhoto(sandbox, id);
  if (post?.page_id === token.pageId) removePost(sandbox, post);
  else if (video?.page_id === token.pageId) {
    const own = video.post_id === null ? null : findPost(sandbox, video.post_id);
    if (own) removePost(sandbox, own);
    sandbox.db.run("DELETE FROM facebook_videos WHERE id = ?", id);
  } else if (photo?.page_id === token.pageId) {
    const owner = photo.post_id === null ? null : findPost(sandbox, photo.post_id);
    if (owner && photoIds(owner).length === 1) removePost(sandbox, owner);
    sandbox.db.run("DELETE FROM facebook_photos WHERE id = ?", id);
  } else throw missingObject(id, "delete");
}
