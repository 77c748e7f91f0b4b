// business-api.tiktok.com: the API for Business v1.3. This part serves accounts that are not advertisers. It
// is a separate product from Content Posting, with its own app, tokens and ids. The part for advertisers is
// in ads/.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { adsConsent } from "./ads/consent";
import { adsRoutes } from "./ads/index";
import { sparkCodeRoutes } from "./ads/spark-codes";
import { type BusinessEnv, businessEndpoint, demandScope, jsonList, queryNumber, readQuery } from "./business-api";
import { businessCommentRoutes } from "./business-comments";
import { BusinessError, badParam, ok, outage } from "./business-errors";
import { businessLoginRoutes } from "./business-oauth";
import { addressOf } from "./live";
import { type AccountRow, isPublic, type TaskRow } from "./store";

const ROOT = "/open_api/v1.3";

export function businessApp(sandbox: Sandbox) {
  // All paths end with a slash.
  const app = new Hono<BusinessEnv>();
  app.use(bodyLimit({ maxSize: 2_000_000 }));
  app.route(`${ROOT}/tt_user`, businessLoginRoutes(sandbox));
  app.route(`${ROOT}/business/comment`, businessCommentRoutes(sandbox));
  app.route(`${ROOT}/business/post`, sparkCodeRoutes(sandbox));
  app.route(`${ROOT}/business`, accountRoutes(sandbox));
  app.route("/portal/auth", adsConsent(sandbox));
  app.route(ROOT, adsRoutes(sandbox));
  app.notFound((c) => new BusinessError("missing", `The URL ${c.req.path} does not exist.`).toResponse());
  app.onError((error) => (error instanceof BusinessError ? error : outage()).toResponse());
  return app;
}

const FIELDS: Readonly<Record<string, { scope: string; of: (account: AccountRow) => unknown }>> = {
  username: { scope: "user.info.username", of: ({ username }) => username },
  display_name: { scope: "user.info.basic", of: ({ display_name }) => display_name },
  profile_image: { scope: "user.info.basic", of: ({ username }) => `https://p16.example/${username}.jpg` },
  followers_count: { scope: "user.info.stats", of: () => 12 },
};

const VideoList = z.object({
  fields: jsonList.optional(),
  cursor: queryNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  max_count: queryNumber(1, 20).default(10),
});
const VIDEO_FIELDS = ["item_id", "caption", "create_time", "share_url"];

function accountRoutes(sandbox: Sandbox) {
  const app = new Hono<BusinessEnv>();

  app.get("/get/", ...businessEndpoint(sandbox, { operation: null, scope: null }), (c) => {
    const { fields } = readQuery(sandbox, c, z.object({ fields: jsonList }));
    const { caller } = c.var;
    const chosen = fields.map((name) => {
      const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
      if (!field) throw badParam(`fields: ${name} is not a field of an account.`);
      demandScope(caller, field.scope);
      return [name, field.of(caller.account)];
    });
    return ok(Object.fromEntries(chosen));
  });

  app.get("/video/list/", ...businessEndpoint(sandbox, { operation: "status", scope: "video.list" }), (c) => {
    const { fields = ["item_id"], cursor, max_count } = readQuery(sandbox, c, VideoList);
    const unknown = fields.find((name) => !VIDEO_FIELDS.includes(name));
    if (unknown !== undefined) throw badParam(`fields: ${unknown} is not a field of a video.`);
    const all = sandbox.db
      .all<TaskRow>(
        "SELECT * FROM tiktok_tasks WHERE account_id = ? AND is_draft = 0 ORDER BY begun_at DESC, post_id DESC",
        c.var.caller.account.id,
      )
      .filter((task) => isPublic(sandbox, task) && (cursor === undefined || (task.begun_at ?? 0) < cursor));
    const shown = all.slice(0, max_count);
    return ok({
      videos: shown.map((task) => {
        const view = videoView(sandbox, task);
        return Object.fromEntries(fields.map((name) => [name, view[name]]));
      }),
      cursor: shown.at(-1)?.begun_at ?? 0,
      has_more: all.length > shown.length,
    });
  });
  return app;
}

function videoView(sandbox: Sandbox, task: TaskRow): Record<string, unknown> {
  return {
    item_id: task.post_id,
    caption: task.caption,
    create_time: String(Math.floor((task.begun_at ?? 0) / 1000)),
    share_url: addressOf(sandbox, task),
  };
}
