// The part of TikTok's Marketing API v1.3 that boosts posts: the routes below /open_api/v1.3.

import { Hono } from "hono";
import type { Sandbox } from "../../sandbox";
import { adgroupRoutes } from "./adgroups";
import type { AdsEnv } from "./api";
import { campaignRoutes } from "./campaigns";
import { adRoutes } from "./creatives";
import { listRoutes } from "./lists";
import { adsTokenRoutes, advertiserRoutes } from "./login";
import { reportRoutes } from "./reports";
import { identityRoutes, sparkPostRoutes } from "./spark-posts";
import { switchRoutes } from "./switching";
import { audienceRoutes, toolRoutes } from "./tools";

export function adsRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.route("/oauth2", adsTokenRoutes(sandbox));
  app.route("/advertiser", advertiserRoutes(sandbox));
  app.route("/identity", identityRoutes(sandbox));
  app.route("/tt_video", sparkPostRoutes(sandbox));
  app.route("/campaign", campaignRoutes(sandbox));
  app.route("/adgroup", adgroupRoutes(sandbox));
  app.route("/ad", adRoutes(sandbox));
  app.route("/ad", audienceRoutes(sandbox));
  app.route("/", switchRoutes(sandbox));
  app.route("/", listRoutes(sandbox));
  app.route("/tool", toolRoutes(sandbox));
  app.route("/report", reportRoutes(sandbox));
  return app;
}
