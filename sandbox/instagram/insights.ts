// Insights of an Instagram account and of its media. Written from Meta's documentation.

import { Hono } from "hono";
import { z } from "zod";
import { accountDay, DAY_MS, openBooks, shownCounts } from "../books";
import { badParameter, GraphError } from "../meta/errors";
import { daysIn, lifetime, metricsIn, series } from "../meta/insights";
import { type GraphEnv, moment, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { ownMedia } from "./media";
import type { MediaRow } from "./store";
import { accountOf, authenticate, loginOfHost, misbehaviour, requireBasics } from "./tokens";

type Product = "FEED" | "REELS" | "STORY";

const ALL: readonly Product[] = ["FEED", "REELS", "STORY"];
/** By product type; of Facebook Login alone where it says so. */
const METRICS: Readonly<Record<string, { products: readonly Product[]; isFacebookOnly?: boolean }>> = {
  views: { products: ALL },
  reach: { products: ALL },
  shares: { products: ALL },
  total_interactions: { products: ALL },
  likes: { products: ["FEED", "REELS"] },
  comments: { products: ["FEED", "REELS"] },
  saved: { products: ["FEED", "REELS"] },
  follows: { products: ["FEED", "STORY"] },
  profile_visits: { products: ["FEED", "STORY"] },
  ig_reels_avg_watch_time: { products: ["REELS"] },
  ig_reels_video_view_total_time: { products: ["REELS"] },
  replies: { products: ["STORY"] },
  link_clicks: { products: ["STORY"] },
  reposts: { products: ["FEED", "REELS"], isFacebookOnly: true },
  facebook_views: { products: ["FEED", "REELS"], isFacebookOnly: true },
  total_views: { products: ["FEED", "REELS"], isFacebookOnly: true },
};
const OF_ACCOUNT = {
  views: "views",
  reach: "reach",
  total_interactions: "interactions",
  profile_links_taps: "profile_visits",
} as const;
/** The breakdowns that fit each metric of an account. One that does not fit fails the whole call. */
const BREAKDOWNS: Readonly<Record<string, readonly string[]>> = {
  views: ["follower_type", "follow_type", "media_product_type"],
  reach: ["follow_type", "media_product_type"],
  total_interactions: ["media_product_type"],
  profile_links_taps: ["contact_button_type"],
  follows_and_unfollows: ["follow_type"],
};

const Asked = z.object({ metric: text.optional(), breakdown: text.optional() });
const AskedOfAccount = z.object({
  metric: text.optional(),
  period: z.literal("day"),
  metric_type: z.enum(["total_value", "time_series"]).default("time_series"),
  breakdown: text.optional(),
  since: moment.optional(),
  until: moment.optional(),
});

const productOf = ({ kind }: MediaRow): Product => (kind === "REELS" ? "REELS" : kind === "STORIES" ? "STORY" : "FEED");

export function insightsRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const faulty = operation<GraphEnv>(sandbox, "instagram", "insights", misbehaviour(sandbox));

  app.get("/:id/insights", faulty, async (c, next) => {
    const id = c.req.param("id");
    if (!sandbox.db.first("SELECT 1 FROM instagram_media WHERE id = ?", id)) return next();
    const { metric } = parse(c, Asked);
    const token = await authenticate(sandbox, c);
    requireBasics(token, "instagram_manage_insights");
    const media = ownMedia(sandbox, token, id);
    const product = productOf(media);
    const offered = Object.entries(METRICS)
      .filter(([, one]) => one.products.includes(product) && (!one.isFacebookOnly || loginOfHost(c) === "facebook"))
      .map(([name]) => name);
    const names = metricsIn(metric, offered, (name) =>
      name in METRICS
        ? `The Media Insights API does not support the ${name} metric for this media product type.`
        : `metric[0] must be one of the following values: ${offered.join(", ")}`,
    );
    const isNew = media.live_at + sandbox.settings.all.instagram_insights_lag_ms > sandbox.now();
    // Children of a carousel have no numbers of their own.
    if (isNew || media.parent_id !== null) return c.json({ data: [] });
    return c.json(lifetime(id, names, valuesOf(sandbox, id)));
  });

  app.get("/:ig/insights", async (c) => {
    const { account, token } = await accountOf(sandbox, c, c.req.param("ig"));
    requireBasics(token, "instagram_manage_insights");
    const { metric, metric_type: type, breakdown, ...range } = parse(c, AskedOfAccount);
    const offered = [...Object.keys(OF_ACCOUNT), "follows_and_unfollows"];
    const names = metricsIn(metric, offered, (name) => `metric ${name} is not supported`);
    if (breakdown !== undefined && names.some((name) => !BREAKDOWNS[name]?.includes(breakdown))) {
      throw sandbox.settings.all.instagram_unfit_breakdown === "1"
        ? new GraphError(1, "An unknown error has occurred.", { status: 500 })
        : badParameter("Incompatible breakdowns");
    }
    const days = daysIn(range, sandbox.now());
    if (days.length > 31) throw badParameter("There cannot be more than 30 days (2592000 s) between since and until");
    const total = (counter: keyof ReturnType<typeof accountDay>) =>
      days.reduce((sum, day) => sum + accountDay(account.id, day, sandbox.now())[counter], 0);
    if (type === "time_series") {
      if (names.some((name) => name !== "reach"))
        throw badParameter("Incompatible metric type (time_series) with the metric");
      return c.json({
        data: [series(account.id, "reach", days, (day) => accountDay(account.id, day, sandbox.now()).reach)],
      });
    }
    // What is not counted yet is an empty list, not zero.
    const newest = sandbox.now() - sandbox.settings.all.instagram_insights_lag_ms;
    if ((range.until ?? sandbox.now()) > newest + DAY_MS) return c.json({ data: [] });
    const data = names.map((name) => {
      const counter = OF_ACCOUNT[name as keyof typeof OF_ACCOUNT];
      if (counter) return { name, period: "day", total_value: { value: total(counter) } };
      if (breakdown === undefined)
        return { name, period: "day", total_value: { value: total("follows") + total("unfollows") } };
      const results = [
        { dimension_values: ["FOLLOWER"], value: total("follows") },
        { dimension_values: ["NON_FOLLOWER"], value: total("unfollows") },
      ];
      return { name, period: "day", total_value: { breakdowns: [{ dimension_keys: ["follow_type"], results }] } };
    });
    return c.json({ data });
  });
  return app;
}

function valuesOf(sandbox: Sandbox, id: string): Record<string, unknown> {
  const {
    views = 0,
    paid_views = 0,
    watch_ms,
    saves,
    comments,
    ...shown
  } = shownCounts(openBooks(sandbox, "instagram")(id) ?? {});
  const { likes = 0, shares = 0 } = shown;
  return {
    ...shown,
    comments,
    replies: comments,
    saved: saves,
    // Organic; boosts count in the totals only.
    views,
    total_views: views + paid_views,
    total_interactions: likes + (comments ?? 0) + shares + (saves ?? 0),
    ig_reels_video_view_total_time: watch_ms,
    ig_reels_avg_watch_time: views === 0 ? 0 : Math.round((watch_ms ?? 0) / views),
  };
}
