// Invitations of Pages as collaborators of a reel: ten a day and Page.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter } from "../meta/errors";
import { type GraphEnv, parse } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { LocationId } from "./publishing";
import { authenticate, misbehaviour } from "./tokens";
import { ownVideo } from "./video-life";

const Invitation = z.object({ target_id: LocationId });

export function collaboratorRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.post(
    "/:video/collaborators",
    operation<GraphEnv>(sandbox, "facebook", "upload", misbehaviour(sandbox)),
    async (c) => {
      const token = await authenticate(sandbox, c, ["page"]);
      requireScopes(token, "pages_manage_posts");
      const video = ownVideo(sandbox, token, c.req.param("video"));
      if (video.kind !== "reel") throw badParameter("Collaborators can be invited to reels only");
      const { target_id } = parse(c, Invitation);
      if (target_id === video.page_id) throw badParameter("A Page cannot be its own collaborator");
      return c.json({ success: true });
    },
  );
  return app;
}
