import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { oauthRoutes } from "../access/oauth-routes.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { cancelWithComment } from "../automations/cancel-replies.ts";
import { cancelWithChannel, cancelWithPost } from "../automations/lifecycle.ts";
import { automationLogRoutes } from "../automations/log-routes.ts";
import { automationRoutes } from "../automations/routes.ts";
import { ceilingRoutes } from "../boosts/ceiling-routes.ts";
import { boostLookupRoutes } from "../boosts/lookup-routes.ts";
import { campaignRoutes } from "../boosts/routes.ts";
import { campaignHold, withdrawCampaigns } from "../boosts/withdraw.ts";
import { brandingRoutes } from "../branding/routes.ts";
import { channelRoutes } from "../channels/routes.ts";
import { hasChannels } from "../channels/store.ts";
import { commentActRoutes } from "../comments/act-routes.ts";
import { commentRoutes } from "../comments/routes.ts";
import { connectPages } from "../connect/pages.tsx";
import { connectRoutes } from "../connect/routes.ts";
import { consentRoutes } from "../consent/routes.ts";
import { dataDeletionPages } from "../consent/status-pages.tsx";
import { consoleRoutes } from "../console/routes.tsx";
import { forgetWithChannel } from "../conversations/collect.ts";
import { conversationRoutes } from "../conversations/routes.ts";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { createMeter, serverTiming } from "../core/meter.ts";
import { unsubscribePages } from "../digest/unsubscribe-pages.tsx";
import { libraryRoutes } from "../files/library-routes.ts";
import { uploadRoutes } from "../files/routes.ts";
import { mediaRoutes } from "../files/serve-routes.ts";
import { generationRoutes } from "../generations/routes.ts";
import { discardBody } from "../http/body.ts";
import { type ApiAbout, documentRoutes, openApiDocument } from "../http/document.ts";
import type { AppEnv } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";
import { namedDatabase } from "../http/named-database.ts";
import { chargeRows, pay } from "../http/request-pace.ts";
import { refuseInvalid } from "../http/validation.ts";
import { inboundRoutes } from "../inbound/routes.ts";
import { insightRoutes } from "../insights/routes.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { operatorRoutes } from "../people/operator.ts";
import { accountRoutes } from "../people/operator-routes.ts";
import { approvalRoutes } from "../posts/approval/approval-routes.ts";
import { platformRoutes } from "../posts/content/platform-routes.ts";
import { postWriteRoutes } from "../posts/create/write-routes.ts";
import { feedRoutes } from "../posts/feeds/feed-routes.ts";
import { importRoutes } from "../posts/imports/import-routes.ts";
import { postListRoutes } from "../posts/lists/list-routes.ts";
import { postReadRoutes } from "../posts/lists/read-routes.ts";
import { manyRoutes } from "../posts/many/many-routes.ts";
import { seriesRoutes } from "../posts/series/series-routes.ts";
import { timetableRoutes } from "../posts/timetable/timetable-routes.ts";
import { projectRoutes } from "../projects/routes.ts";
import { createDeps } from "../service/deps.ts";
import { costCeilingRoutes } from "../usage/ceiling-routes.ts";
import { usageRoutes } from "../usage/routes.ts";
import { deliveryRoutes } from "../webhooks/delivery-routes.ts";
import { dispatchSoon } from "../webhooks/dispatch-events.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { doctorRoutes } from "./doctor.ts";
import { answerHealth } from "./health.ts";
import { answerPlainHttp } from "./https-only.ts";
import { beginCommand, tokenAct } from "./token-act.ts";
import { answerUnconfigured, configProblems } from "./unconfigured.ts";

const app = new OpenAPIHono<AppEnv>();

app.use(async (c, next) => {
  const startedAt = Date.now();
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  const problems = configProblems(c.env);
  if (problems.length > 0) return answerUnconfigured(c, problems, requestId);
  const deps = createDeps(c.env, { requestId }, createMeter(), (work) => c.executionCtx.waitUntil(work));
  const named = deps.databases === 1 ? null : namedDatabase(new URL(c.req.url));
  c.set("deps", named !== null && named < deps.databases ? deps.in(named) : deps);
  c.set("admit", async (authorization) => {
    const caller = await authenticate(deps, authorization);
    const home = deps.in(caller.database);
    c.set("deps", home);
    await pay(c, home, caller.projectId);
    return caller;
  });
  const act = tokenAct(c, startedAt);
  c.set("begin", act.begin);
  const plain = answerPlainHttp(c);
  if (plain) c.res = plain;
  else await next();
  await discardBody(c.req.raw);
  const payer = c.get("payer");
  if (payer) chargeRows(payer.deps, payer.projectId);
  // Pages of the connect flow and webhooks from platforms have no caller.
  const caller: Caller | undefined = c.get("caller");
  if (c.req.method !== "GET" || caller === undefined) {
    c.executionCtx.waitUntil(dispatchSoon(c.var.deps, caller?.projectId ?? null));
  }
  const ms = Date.now() - startedAt;
  // Sets headers on the finished response: `c.header` would copy the response for each.
  const { headers } = c.res;
  headers.set("X-Request-Id", requestId);
  headers.set("X-Content-Type-Options", "nosniff");
  if (deps.config.isProduction) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  else headers.set("Server-Timing", serverTiming(deps.meter, ms));
  deps.log.event("request", {
    operation: c.var.operationId ?? "",
    method: c.req.method,
    status: c.res.status,
    project: c.var.caller?.projectId,
    ms,
    d1: deps.meter.d1Calls,
  });
  await act.end();
});
// Inside the middleware above, so that its responses also carry the request id and are logged.
app.use(
  methodNotAllowed<AppEnv>({
    app,
    onMethodNotAllowed: (c, methods) => {
      c.header("Allow", methods.join(", "));
      const isFromPage = c.req.method === "OPTIONS" && c.req.header("Origin") !== undefined;
      const sentence = isFromPage
        ? "Access tokens are for servers: call this address from your server, not from a web page."
        : `${c.req.method} is not supported here. Use ${methods.join(" or ")}.`;
      return answerError(new AppError("method_not_allowed", sentence), c);
    },
  }),
);
const pageHeaders = secureHeaders({
  xFrameOptions: "DENY",
  referrerPolicy: "no-referrer",
  crossOriginOpenerPolicy: false,
});
app.use("/connect/*", pageHeaders);
app.use("/docs/*", pageHeaders);

const about: ApiAbout = {
  title: "Belfry",
  description:
    "Connect social channels, publish and schedule posts: exactly once, or with a clear error.\n\nEvery error is `{status: false, message, code, fix, again, docs_url}`; validation adds `errors`, a map from field paths to sentences. Unknown fields and parameters are accepted and named in `warnings`. Null for an optional field means absent; in updates, it clears a field that can be cleared. Times are ISO 8601 in UTC with milliseconds: `2030-03-05T10:00:00.000+00:00`. Clients must ignore unknown keys.",
  tags: [
    { name: "Channels", description: "Connect accounts through a hosted page." },
    { name: "Posts", description: "Create, schedule, follow and delete posts." },
    { name: "Approval", description: "Posts that wait until someone who may publish approves them." },
    { name: "Insights", description: "What posts and accounts achieved." },
    {
      name: "Comments",
      description: "Comments of other people under posts: read, answer, hide, like and delete them.",
    },
    { name: "Messages", description: "Conversations of channels by direct messages." },
    { name: "Comment automations", description: "Bots that answer comments under posts." },
    { name: "Generation", description: "Posts whose texts, images and videos are generated by models." },
    { name: "Boost campaigns", description: "Paid campaigns that show published posts to more people." },
    { name: "Webhooks", description: "Signed webhooks for every event." },
    { name: "Usage", description: "What the project has used, and what it cost." },
    { name: "Media", description: "Upload files for posts that have no public URL yet." },
  ],
};

const api = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });
api.use(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});
connectRoutes(api);
channelRoutes(api, campaignHold, (db, channel, when) => [
  ...cancelWithChannel(db, channel, when),
  ...forgetWithChannel(db, channel, when),
]);
timetableRoutes(api);
platformRoutes(api);
postListRoutes(api);
postReadRoutes(api);
postWriteRoutes(api, [withdrawCampaigns, cancelWithPost]);
manyRoutes(api);
importRoutes(api);
seriesRoutes(api);
feedRoutes(api);
approvalRoutes(api);
insightRoutes(api);
commentRoutes(api);
commentActRoutes(api, cancelWithComment);
conversationRoutes(api);
uploadRoutes(api);
libraryRoutes(api);
automationRoutes(api);
automationLogRoutes(api);
generationRoutes(api);
campaignRoutes(api);
boostLookupRoutes(api);
webhookRoutes(api);
deliveryRoutes(api);
usageRoutes(api);
documentRoutes(app, api, about);
app.route("/api/v1", api);

mcpRoutes(app, () => openApiDocument(api, about, "https://belfry.example"));
oauthRoutes(app);
connectPages(app);
mediaRoutes(app);
brandingRoutes(app);
consentRoutes(app);
dataDeletionPages(app);
inboundRoutes(app);
operatorRoutes(app, { hasChannels, beginCommand });
ceilingRoutes(app);
costCeilingRoutes(app);
projectRoutes(app);
doctorRoutes(app);
accountRoutes(app);
consoleRoutes(app);
unsubscribePages(app);

app.get("/healthz", answerHealth);
app.get("/", (c) => c.redirect("/console"));

app.notFound((c) => {
  const { path } = c.req;
  const hint = path.endsWith("/")
    ? `Leave out the slash at its end: ${path.replace(/(?<!\/)\/+$/, "")}.`
    : "See /docs for what there is.";
  return answerError(new AppError("not_found", `There is nothing at this address. ${hint}`), c);
});
app.onError(answerError);

export { about, api, app };
