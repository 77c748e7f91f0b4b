// Pictures of live videos: the cover of a video is the last one that was set as preferred.

import { Hono } from "hono";
import { z } from "zod";
import { probe } from "../media-probe";
import { badParameter } from "../meta/errors";
import { file, flag, type GraphEnv, parse } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { meets, operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { authenticate, misbehaviour } from "./tokens";
import { ownVideo } from "./video-life";

const NewThumbnail = z.object({ source: file, is_preferred: flag.optional() });

export function thumbnailRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.post(
    "/:video/thumbnails",
    operation<GraphEnv>(sandbox, "facebook", "upload", misbehaviour(sandbox)),
    async (c) => {
      const token = await authenticate(sandbox, c, ["page"]);
      requireScopes(token, "pages_manage_posts");
      const video = ownVideo(sandbox, token, c.req.param("video"));
      const { source, is_preferred } = parse(c, NewThumbnail);
      const blob = sandbox.blobs.create();
      sandbox.blobs.append(blob, new Uint8Array(await source.arrayBuffer()));
      const { type } = probe(sandbox.blobs.source(blob));
      if (meets(c, "reject_media") || !["image/jpeg", "image/png"].includes(type)) {
        throw badParameter("Invalid image format", 1366046);
      }
      sandbox.blobs.setType(blob, type);
      if (is_preferred) sandbox.db.run("UPDATE facebook_videos SET thumbnail = ? WHERE id = ?", blob, video.id);
      return c.json({ success: true });
    },
  );
  return app;
}
