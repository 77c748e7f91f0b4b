// Posts and stories in the Graph API's format, and the lists of an account.

import { Hono } from "hono";
import { boostsOf, eligibilityOf } from "../meta/ads/boosts";
import { missingObject } from "../meta/errors";
import { graphTime, type JsonObject, project } from "../meta/fields";
import { strings } from "../meta/logins";
import { pageOf } from "../meta/paging";
import { type GraphEnv, Listing, parse } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { permalink, shortcodeOf } from "./permalink";
import { BoostShape, GRAPH_OF, MediaShape } from "./shapes";
import { childrenOf, findAccount, findMedia, isLive, liveMedia, type MediaRow } from "./store";
import { accountOf, authenticate, loginOfHost, misbehaviour, opens, requireBasics, type Token } from "./tokens";

export function mediaRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  app.get(
    "/:ig/:edge{media|stories}",
    operation<GraphEnv>(sandbox, "instagram", "status", misbehaviour(sandbox)),
    async (c) => {
      const { fields, since, until, ...paging } = parse(c, Listing);
      const { account } = await accountOf(sandbox, c, c.req.param("ig"));
      const isStories = c.req.param("edge") === "stories";
      const { instagram_listing_lag_ms: lag, instagram_short_pages: isShort } = sandbox.settings.all;
      const items = liveMedia(sandbox, { account_id: account.id }).filter(
        (media) =>
          (media.kind === "STORIES") === isStories &&
          media.live_at + lag <= sandbox.now() &&
          // The API compares whole seconds.
          (since === undefined || Math.floor(media.live_at / 1000) >= Math.floor(since / 1000)) &&
          (until === undefined || media.live_at <= until),
      );
      const view = (media: MediaRow) => project(mediaView(sandbox, media), MediaShape, fields);
      const origin = GRAPH_OF[loginOfHost(c)];
      return c.json(pageOf(c, { items, keyOf: ({ id }) => id, view, origin, isShort }, paging));
    },
  );
  app.get(
    "/:media/boost_ads_list",
    operation<GraphEnv>(sandbox, "instagram", "status", misbehaviour(sandbox)),
    async (c) => {
      const { fields, ...paging } = parse(c, Listing.omit({ since: true, until: true }));
      const token = await authenticate(sandbox, c, ["short", "long", "page"]);
      requireBasics(token);
      const items = boostsOf(sandbox, ownMedia(sandbox, token, c.req.param("media")).id);
      const view = (boost: (typeof items)[number]) => project(boost, BoostShape, fields);
      const origin = GRAPH_OF[loginOfHost(c)];
      return c.json(pageOf(c, { items, keyOf: ({ ad_id }) => ad_id, view, origin, isShort: false }, paging));
    },
  );
  app.get("/:media/children", operation<GraphEnv>(sandbox, "instagram", "status", misbehaviour(sandbox)), async (c) => {
    const { fields, ...paging } = parse(c, Listing.omit({ since: true, until: true }));
    const token = await authenticate(sandbox, c);
    requireBasics(token);
    const items = childrenOf(sandbox, ownMedia(sandbox, token, c.req.param("media")).id);
    const view = (media: MediaRow) => project(mediaView(sandbox, media), MediaShape, fields);
    const origin = GRAPH_OF[loginOfHost(c)];
    return c.json(pageOf(c, { items, keyOf: ({ id }) => id, view, origin, isShort: false }, paging));
  });
  return app;
}

/** A live post that the token can access. */
export function ownMedia(sandbox: Sandbox, token: Token, id: string, method = "get"): MediaRow {
  const media = findMedia(sandbox, id);
  const account = media && findAccount(sandbox, media.account_id);
  if (media && account && opens(token, account) && isLive(media, sandbox.now())) return media;
  throw missingObject(id, method);
}

/** The post behind a permalink. */
export function mediaAt(sandbox: Sandbox, path: string): string | null {
  const shown = liveMedia(sandbox).find(
    (media) => new URL(permalink(sandbox, media)).pathname === path.replace(/\/$/, ""),
  );
  return shown?.id ?? null;
}

const TYPES = { IMAGE: "IMAGE", VIDEO: "VIDEO", REELS: "VIDEO", CAROUSEL: "CAROUSEL_ALBUM" } as const;

export function mediaView(sandbox: Sandbox, media: MediaRow): JsonObject {
  const { id, kind, caption, url, alt_text, is_video, live_at } = media;
  const type = kind === "STORIES" ? (is_video ? "VIDEO" : "IMAGE") : TYPES[kind];
  const product = kind === "REELS" ? "REELS" : kind === "STORIES" ? "STORY" : "FEED";
  const children = childrenOf(sandbox, id);
  const comments = sandbox.db.first<{ count: number }>(
    "SELECT count(*) AS count FROM instagram_comments WHERE media_id = ?",
    id,
  );
  const username = findAccount(sandbox, media.account_id)?.username ?? "";
  return {
    id,
    ...(caption ? { caption } : {}),
    media_type: type,
    media_product_type: product,
    ...(url === null ? {} : { media_url: url }),
    ...(is_video ? { thumbnail_url: "/_media/square.jpg" } : {}),
    permalink: `${permalink(sandbox, media)}/`,
    shortcode: shortcodeOf(media),
    timestamp: graphTime(live_at),
    username,
    owner: { id: media.account_id },
    like_count: 0,
    comments_count: comments?.count ?? 0,
    is_comment_enabled: media.comments_enabled === 1,
    ...(alt_text ? { alt_text } : {}),
    is_ai_generated: strings(media.labels).includes("is_ai_generated"),
    ...(children.length > 0 ? { children: { data: children.map((child) => mediaView(sandbox, child)) } } : {}),
    boost_eligibility_info: eligibilityOf(sandbox, id),
    boost_ads_list: { data: boostsOf(sandbox, id) },
  };
}
