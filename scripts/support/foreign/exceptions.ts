/**
 * What adapters send and no description on npm has: each with its reason, what was read instead, and the
 * date. An entry that no adapter needs any more, or that a newer description makes needless, fails.
 */
export interface Exception {
  /** The claim, or its beginning if there are `names`: `facebook POST {id}/feed:`. */
  readonly at: string;
  /** The words after it, each a claim of its own: `parameter message`. */
  readonly names?: readonly string[];
  readonly reason: string;
  /** What was read instead. */
  readonly source: string;
  /** When. */
  readonly date: string;
}

const entry =
  (reason: string, source: string, date: string) =>
  (at: string, ...names: readonly string[]): Exception => ({
    at,
    ...(names.length > 0 ? { names } : {}),
    reason,
    source,
    date,
  });

const META = "developers.facebook.com/docs";

const login = entry(
  "The SDK describes objects and their edges; the calls of a login are no edge.",
  `${META}/facebook-login/guides/advanced/manual-flow, /docs/instagram-platform, /docs/threads/get-started`,
  "2026-11-21",
);
const written = entry(
  "The JavaScript SDK does not list what an edge takes when something is created.",
  `${META}/graph-api/reference and Meta's SDK specification of 2026-04-15`,
  "2026-11-28",
);
const video = entry(
  "The SDK's object of videos is written by hand, with the fields that ads need.",
  `${META}/graph-api/reference/video`,
  "2026-11-28",
);
const read = entry(
  "The SDK does not list the parameters of this edge, or this field of what it answers.",
  `${META}/graph-api/reference and Meta's SDK specification of 2026-04-15`,
  "2026-11-28",
);
const pageMetric = entry(
  "The SDK lists metrics of media only, none of Pages and their posts.",
  `${META}/graph-api/reference/insights after the removals of 2025-11-15 and 2026-06-15`,
  "2026-11-28",
);
const accountMetric = entry(
  "The SDK does not say which parameters a metric takes; one that does not fit fails the whole call.",
  `${META}/instagram-platform/api-reference/instagram-user/insights of 2026-06-16`,
  "2026-11-28",
);
const mediaMetric = entry(
  "Newer than the SDK (24.0.1): a metric of stories.",
  `${META}/instagram-platform changelog of 2026-06-22`,
  "2026-11-28",
);
const threads = entry(
  "threads-graph-api is of 2024 and does not have all calls.",
  `${META}/threads/reference of 2026-04-20`,
  "2026-11-28",
);
const report = entry(
  "Google's description names no metrics, dimensions and filters.",
  "developers.google.com/youtube/analytics/metrics, /dimensions and /channel_reports of 2026-09-09",
  "2026-11-28",
);
const google = entry(
  "The calls of a login are not in the discovery documents.",
  "developers.google.com/identity/protocols/oauth2/web-server",
  "2026-11-22",
);
const session = entry(
  "The session of an upload has an address of its own, which Google's answer names.",
  "developers.google.com/youtube/v3/guides/using_resumable_upload_protocol",
  "2026-11-22",
);
const x = entry(
  "The calls of a login are not among the operations of the XDK.",
  "docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code",
  "2026-11-22",
);
const formerX = entry(
  "The names before OpenAPI 2.167, sent only after X has refused those since then.",
  "OpenAPI 2.165 of June 2026; answers of apps that have them still, seen by others",
  "2026-11-28",
);
const tiktokOpen = entry(
  "No package describes TikTok's Login Kit, Content Posting API and Display API.",
  "developers.tiktok.com/doc of 2026-08-04 and 2026-11-22",
  "2026-11-22",
);
const tiktokBusiness = entry(
  "The SDK of TikTok's API for Business has ads only, none of the calls of accounts.",
  "business-api.tiktok.com/portal/docs (Accounts API v1.3)",
  "2026-11-22",
);
const linkedin = entry(
  "LinkedIn's own client (linkedin-api-client 0.3.0) carries any call and describes none.",
  "learn.microsoft.com/linkedin/marketing, version 202609",
  "2026-11-22",
);
const linkedinDocuments = entry(
  "LinkedIn's own client (linkedin-api-client 0.3.0) carries any call and describes none.",
  "learn.microsoft.com/linkedin/marketing/community-management/shares/documents-api, li-lms-2024-11",
  "2026-11-28",
);
const network = entry(
  "Calls of the network beside XRPC: OAuth of a server, and directories of identities.",
  "atproto.com/specs/oauth, /specs/did and /specs/handle",
  "2026-11-26",
);

const tiktokAds = entry(
  "TikTok's page has it; its SDK (1.1.3), which is generated from an older description, does not.",
  "business-api.tiktok.com/portal/docs, Marketing API v1.3",
  "2026-11-28",
);
const tiktokReport = entry(
  "The SDK has no list of the names that a report or an account has.",
  "business-api.tiktok.com/portal/docs, basic reports and advertiser/info",
  "2026-11-28",
);
const locale = entry(
  "A parameter of every call of the Graph API: the language of its sentences.",
  `${META}/graph-api/overview and /guides/error-handling (error_user_msg)`,
  "2026-11-28",
);

/** The range of days that an account's metrics are asked for. */
const DAYS = "period=day since until";
const TOTALS = `metric_type=total_value ${DAYS}`;
/** A call without the kind of its object, and with it (test/platforms/foreign/). */
const kinds = (at: string, ...of: readonly string[]) => [`${at}:`, ...of.map((kind) => `${at} (${kind}):`)];

const PAGE_METRICS = [
  "page_daily_follows_unique",
  "page_daily_unfollows_unique",
  "page_media_view",
  "page_post_engagements",
  "page_total_media_view_unique",
  "page_views_total",
];
const POST_METRICS = ["post_clicks", "post_clicks_by_type", "post_media_view", "post_total_media_view_unique"];
const STORY_METRICS = [
  "pages_fb_story_replies",
  "pages_fb_story_shares",
  "story_interaction",
  "story_media_view",
  "story_total_media_view_unique",
];
const insightsOf = (host: string): readonly Exception[] => [
  ...kinds(`${host} GET {id}/insights`, "account").map((at) =>
    accountMetric(
      at,
      "metric follows_and_unfollows",
      `metric follows_and_unfollows with breakdown=follow_type ${TOTALS}`,
      `metric reach with ${TOTALS}`,
      `metric total_interactions with ${TOTALS}`,
      `metric views with ${TOTALS}`,
    ),
  ),
  ...kinds(`${host} GET {id}/insights`, "story").map((at) => mediaMetric(at, "metric link_clicks")),
];
const containersOf = (host: string): readonly Exception[] => [
  written(
    `${host} POST {id}/media:`,
    "parameter children",
    "parameter collaborators",
    "parameter cover_url",
    "parameter image_url",
    "parameter is_ai_generated",
    "parameter is_carousel_item",
    "parameter is_paid_partnership",
    "parameter location_id",
    "parameter share_to_feed",
    "parameter thumb_offset",
    "parameter video_url",
  ),
  written(`${host} POST {id}/media_publish:`, "parameter creation_id"),
  ...["{id}", "me"].map((node) =>
    written(`${host} POST ${node}/messages:`, "parameter message", "parameter messaging_type", "parameter tag"),
  ),
  written(`${host} POST {id}/replies:`, "parameter message"),
  written(`${host} POST {id}/subscribed_apps:`, "parameter subscribed_fields"),
  read(`${host} GET {id}/conversations:`, "parameter platform", "parameter user_id"),
  read(`${host} GET me/conversations:`, "parameter platform", "parameter user_id"),
];

export const EXCEPTIONS: readonly Exception[] = [
  // Meta: logins
  login("facebook GET debug_token"),
  login("facebook GET oauth/access_token"),
  login("facebook POST oauth/access_token"),
  login("facebook GET oauth/revoke"),
  login("instagram GET access_token"),
  login("instagram GET refresh_access_token"),
  login("api.instagram.com POST /oauth/access_token"),
  read("facebook GET me/accounts:", "field tasks"),
  // Meta: posts of Pages
  written("facebook POST {id}/feed:", "parameter attached_media"),
  written("facebook POST {id}/photos:", "parameter published", "parameter url"),
  written("facebook POST {id}/photo_stories:", "parameter photo_id"),
  written(
    "facebook POST {id}/video_reels:",
    "parameter description",
    "parameter place",
    "parameter title",
    "parameter upload_phase",
    "parameter video_id",
    "parameter video_state",
  ),
  written("facebook POST {id}/collaborators"),
  written("facebook POST {id}/thumbnails"),
  written("facebook POST {id}/video_stories:", "parameter upload_phase", "parameter video_id"),
  written(
    "facebook POST {id}/videos:",
    "parameter description",
    "parameter file_size",
    "parameter start_offset",
    "parameter title",
    "parameter upload_phase",
    "parameter upload_session_id",
    "parameter video_file_chunk",
  ),
  written("rupload.facebook.com POST /video-upload/{id}"),
  video("facebook GET {id}:", "field permalink_url", "field published"),
  video("facebook GET {id}/video_insights"),
  ...kinds("facebook GET {id}/video_insights", "video").map((at) =>
    pageMetric(at, "metric total_video_avg_time_watched", "metric total_video_view_total_time"),
  ),
  ...kinds("facebook GET {id}/video_insights", "reel").map((at) =>
    pageMetric(at, "metric post_video_avg_time_watched", "metric post_video_view_time"),
  ),
  read("facebook GET {id}/comments:", "parameter filter", "parameter order"),
  // Meta: media, messages, webhooks
  ...containersOf("facebook"),
  ...containersOf("instagram"),
  written("instagram POST {id}/comments:", "parameter message"),
  written("instagram POST {id}/messages:", "parameter recipient"),
  written("instagram POST me/messages:", "parameter recipient"),
  written("facebook POST {id}/subscriptions:", "parameter callback_url", "parameter object", "parameter verify_token"),
  written("facebook POST {id}:", "parameter hide"),
  written("instagram POST {id}:", "parameter hide"),
  // Meta: numbers
  ...kinds("facebook GET {id}/insights", "account").map((at) =>
    pageMetric(at, ...PAGE_METRICS.flatMap((name) => [`metric ${name}`, `metric ${name} with ${DAYS}`])),
  ),
  ...kinds("facebook GET {id}/insights", "post", "video", "reel").map((at) =>
    pageMetric(at, ...POST_METRICS.map((name) => `metric ${name}`)),
  ),
  ...kinds("facebook GET {id}/insights", "story").map((at) =>
    pageMetric(at, ...STORY_METRICS.map((name) => `metric ${name}`)),
  ),
  ...insightsOf("facebook"),
  ...insightsOf("instagram"),
  // Meta: ads
  locale("facebook GET me/adaccounts:", "parameter locale"),
  locale("facebook GET act_{id}:", "parameter locale"),
  ...["campaigns", "dsa_recommendations", "minimum_budgets", "reachestimate"].map((edge) =>
    locale(`facebook GET act_{id}/${edge}:`, "parameter locale"),
  ),
  ...["adcreatives", "ads", "adsets", "campaigns"].map((edge) =>
    locale(`facebook POST act_{id}/${edge}:`, "parameter locale"),
  ),
  ...["adsets", "ads", "insights"].map((edge) => locale(`facebook GET {id}/${edge}:`, "parameter locale")),
  read("facebook GET act_{id}/campaigns:", "parameter filtering"),
  read("facebook GET act_{id}/reachestimate:", "parameter targeting_spec"),
  written("facebook POST act_{id}/adcreatives:", "parameter execution_options"),
  read("facebook GET search"),
  // Threads
  login("threads GET access_token"),
  login("threads GET debug_token"),
  login("threads GET debug_token:", "parameter input_token"),
  login("threads GET refresh_access_token"),
  threads("threads GET me/threads_publishing_limit:", "fields config", "fields quota_usage"),
  threads("threads GET {id}:", "fields error_message", "fields status"),
  threads("threads POST me/threads:", "parameter alt_text", "parameter location_id"),
  ...kinds("threads GET me/threads_insights", "account").map((at) => threads(at, `metric views with ${DAYS}`)),
  ...kinds("threads GET {id}/insights", "post", "video", "reel", "story").map((at) => threads(at, "metric shares")),
  // YouTube
  google("oauth2.googleapis.com POST /revoke"),
  google("oauth2.googleapis.com POST /token"),
  session("youtube PUT upload/videos:", "parameter upload_id"),
  report(
    "youtubeanalytics GET reports:",
    "dimensions day",
    "dimensions video",
    "filters video",
    "metrics averageViewDuration",
    "metrics estimatedMinutesWatched",
    "metrics shares",
    "metrics subscribersGained",
    "metrics subscribersLost",
    "metrics views",
    "sort day",
  ),
  // X
  x("x POST /2/oauth2/revoke"),
  x("x POST /2/oauth2/token"),
  ...["/2/tweets", "/2/tweets/search/recent", "/2/users/{id}/tweets"].map((path) =>
    formerX(`x GET ${path}:`, "parameter tweet.fields"),
  ),
  // TikTok
  tiktokOpen("open-upload.tiktokapis.com PUT /video/"),
  tiktokOpen("open.tiktokapis.com GET /v2/user/info/"),
  tiktokOpen("open.tiktokapis.com POST /v2/oauth/revoke/"),
  tiktokOpen("open.tiktokapis.com POST /v2/oauth/token/"),
  tiktokOpen("open.tiktokapis.com POST /v2/post/publish/content/init/"),
  tiktokOpen("open.tiktokapis.com POST /v2/post/publish/creator_info/query/"),
  tiktokOpen("open.tiktokapis.com POST /v2/post/publish/status/fetch/"),
  tiktokOpen("open.tiktokapis.com POST /v2/post/publish/video/init/"),
  tiktokOpen("open.tiktokapis.com POST /v2/video/list/"),
  tiktokOpen("open.tiktokapis.com POST /v2/video/query/"),
  tiktokBusiness("tiktok GET business/comment/list/"),
  tiktokBusiness("tiktok GET business/comment/reply/list/"),
  tiktokBusiness("tiktok GET business/get/"),
  tiktokBusiness("tiktok POST business/comment/create/"),
  tiktokBusiness("tiktok POST business/comment/delete/"),
  tiktokBusiness("tiktok POST business/comment/hide/"),
  tiktokBusiness("tiktok POST business/comment/like/"),
  tiktokBusiness("tiktok POST business/comment/reply/create/"),
  tiktokBusiness("tiktok POST tt_user/oauth2/refresh_token/"),
  tiktokBusiness("tiktok POST tt_user/oauth2/revoke/"),
  tiktokBusiness("tiktok POST tt_user/oauth2/token/"),
  tiktokAds("tiktok GET ad/review_info/"),
  tiktokAds("tiktok GET tt_video/list/"),
  tiktokAds("tiktok GET tool/region/:", "parameter language"),
  tiktokAds("tiktok POST ad/audience_size/estimate/"),
  tiktokAds("tiktok POST adgroup/budget/update/"),
  tiktokAds("tiktok POST oauth2/revoke_token/"),
  tiktokReport(
    "tiktok GET advertiser/info/:",
    "fields advertiser_id",
    "fields currency",
    "fields name",
    "fields status",
    "fields timezone",
  ),
  tiktokReport("tiktok GET report/integrated/get/:", "metrics impressions", "metrics reach", "metrics spend"),
  // LinkedIn
  ...[
    "api.linkedin.com DELETE /rest/posts/{id}",
    "api.linkedin.com DELETE /rest/reactions/{id}",
    "api.linkedin.com DELETE /rest/socialActions/{id}/comments/{id}",
    "api.linkedin.com POST /rest/reactions",
    "api.linkedin.com GET /rest/images/{id}",
    "api.linkedin.com GET /rest/networkSizes/{id}",
    "api.linkedin.com GET /rest/organizationAcls",
    "api.linkedin.com GET /rest/organizationalEntityShareStatistics",
    "api.linkedin.com GET /rest/organizations/{id}",
    "api.linkedin.com GET /rest/posts",
    "api.linkedin.com GET /rest/posts/{id}",
    "api.linkedin.com GET /rest/socialActions/{id}/comments",
    "api.linkedin.com GET /rest/videos/{id}",
    "api.linkedin.com GET /v2/userinfo",
    "api.linkedin.com POST /rest/images",
    "api.linkedin.com POST /rest/posts",
    "api.linkedin.com POST /rest/socialActions/{id}/comments",
    "api.linkedin.com POST /rest/videos",
    "www.linkedin.com POST /oauth/v2/accessToken",
    "www.linkedin.com POST /oauth/v2/introspectToken",
    "www.linkedin.com POST /oauth/v2/revoke",
    "www.linkedin.com PUT /dms-uploads/",
  ].map((call) => linkedin(call)),
  linkedinDocuments("api.linkedin.com GET /rest/documents/{id}"),
  linkedinDocuments("api.linkedin.com POST /rest/documents"),
  // Bluesky
  network("bluesky GET /.well-known/atproto-did"),
  network("bluesky GET /.well-known/oauth-authorization-server"),
  network("bluesky GET /.well-known/oauth-protected-resource"),
  network("bluesky POST /oauth/par"),
  network("bluesky POST /oauth/revoke"),
  network("bluesky POST /oauth/token"),
  network("cloudflare-dns.com GET /dns-query"),
  network("plc.directory GET /{id}"),
];
