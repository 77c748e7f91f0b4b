// `/{id}`: read, update and delete any object by id.

import { Hono } from "hono";
import { z } from "zod";
import { followersAt } from "../books";
import type { Operation } from "../faults";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { flag, type GraphContext, type GraphEnv, parse, text } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { commentView, deleteComment, hideComment, ownComment } from "./comments";
import { containerView } from "./container-status";
import { mediaView, ownMedia } from "./media";
import { findPage, pageView } from "./pages";
import { AccountShape, CommentShape, ContainerShape, MediaShape, PageShape, PromotableMediaShape } from "./shapes";
import {
  type AccountRow,
  appScopedId,
  findAccount,
  findComment,
  findContainer,
  findMedia,
  listAccounts,
  liveMedia,
  PERSON,
  removeMedia,
} from "./store";
import { accountOf, authenticate, type Login, misbehaviour, opens, requireBasics } from "./tokens";

export function nodeRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: (c: GraphContext) => Operation | null) =>
    operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));
  const idOf = (c: GraphContext) => c.req.param("id") ?? "";
  const isComment = (c: GraphContext) => findComment(sandbox, idOf(c)) !== null;
  const isPage = (id: string) => listAccounts(sandbox).some(({ page_id }) => page_id === id);
  const isAccount = (c: GraphContext) => idOf(c) === "me" || findAccount(sandbox, idOf(c)) !== null || isPage(idOf(c));

  app.get(
    "/:id",
    on((c) => (isAccount(c) ? null : isComment(c) ? "comments" : "status")),
    async (c) => {
      const { fields } = parse(c, z.object({ fields: text.optional(), locale: text.optional() }));
      return c.json(await readNode(sandbox, c, idOf(c), fields));
    },
  );

  app.post(
    "/:id",
    on((c) => (isComment(c) ? "reply" : "publish")),
    async (c) => {
      const { hide, comment_enabled } = parse(c, z.object({ hide: flag.optional(), comment_enabled: flag.optional() }));
      const token = await authenticate(sandbox, c);
      requireBasics(token, "instagram_manage_comments");
      if (isComment(c)) {
        if (hide === undefined) throw badParameter("The parameter hide is required");
        hideComment(sandbox, ownComment(sandbox, token, idOf(c), "post"), hide);
      } else {
        if (comment_enabled === undefined) throw badParameter("The parameter comment_enabled is required");
        const { id } = ownMedia(sandbox, token, idOf(c), "post");
        sandbox.db.run("UPDATE instagram_media SET comments_enabled = ? WHERE id = ?", comment_enabled ? 1 : 0, id);
      }
      return c.json({ success: true });
    },
  );

  app.delete(
    "/:id",
    on((c) => (isComment(c) ? "reply" : "delete")),
    async (c) => {
      parse(c, z.object({}));
      const id = idOf(c);
      if (isComment(c)) {
        const token = await authenticate(sandbox, c);
        requireBasics(token, "instagram_manage_comments");
        deleteComment(sandbox, ownComment(sandbox, token, id, "delete"));
        return c.json({ success: true });
      }
      const token = await authenticate(sandbox, c, ["short", "long"]);
      if (token.login === "instagram") {
        throw new GraphError(100, "(#100) Unsupported delete request.", { type: "GraphMethodException" });
      }
      requireBasics(token, "instagram_manage_contents");
      const media = ownMedia(sandbox, token, id, "delete");
      if (media.parent_id !== null) {
        throw new GraphError(-1, "This media type cannot be deleted.", { subcode: 2207073, status: 400 });
      }
      removeMedia(sandbox, media);
      return c.json({ success: true, deleted_id: id });
    },
  );
  return app;
}

async function readNode(
  sandbox: Sandbox,
  c: GraphContext,
  id: string,
  fields: string | undefined,
): Promise<JsonObject> {
  const token = await authenticate(sandbox, c);
  if (token.login === "facebook" && (id === "me" || id === PERSON.id)) return { ...PERSON };
  if (id === "me" || findAccount(sandbox, id)) {
    const { account } = await accountOf(sandbox, c, id);
    return project(accountView(sandbox, c, { ...account, login: token.login }), AccountShape, fields);
  }
  const page = findPage(sandbox, token, id);
  if (page) {
    requireScopes(token, "pages_show_list");
    return project(pageView(sandbox, c, page, token), PageShape, fields);
  }
  const container = findContainer(sandbox, id);
  const account = container && findAccount(sandbox, container.account_id);
  const isHidden = sandbox.settings.all.instagram_unreadable && !findComment(sandbox, id);
  if (isHidden) throw missingObject(id);
  if (container && account && opens(token, account)) {
    requireBasics(token, "instagram_content_publish");
    return project(containerView(sandbox, container), ContainerShape, fields);
  }
  if (findMedia(sandbox, id)) {
    requireBasics(token);
    const shape = token.login === "facebook" ? PromotableMediaShape : MediaShape;
    return project(mediaView(sandbox, ownMedia(sandbox, token, id)), shape, fields);
  }
  requireBasics(token, "instagram_manage_comments");
  return project(commentView(sandbox, ownComment(sandbox, token, id)), CommentShape, fields);
}

function accountView(
  sandbox: Sandbox,
  c: GraphContext,
  { id, username, name, login }: AccountRow & { login: Login },
): JsonObject {
  return {
    id: login === "instagram" ? appScopedId(id) : id,
    user_id: id,
    username,
    name,
    account_type: "BUSINESS",
    profile_picture_url: `${c.env.origin}/_media/square.jpg`,
    followers_count: followersAt(id, sandbox.now()),
    follows_count: 80,
    media_count: liveMedia(sandbox, { account_id: id }).length,
    biography: "",
    website: "",
  };
}
