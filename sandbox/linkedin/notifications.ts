// Notifications about a page's posts, by polling. Webhooks need a registration in a portal, which is not
// simulated.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import { endpoint, type LinkedinEnv } from "./api";
import { mayActAs } from "./authors";
import { badInput, denied, RestError } from "./errors";
import { Paging, pageOf, readList, readQuery } from "./input";
import { type CommentRow, commentUrn, keyOf, type PostRow, urnOf } from "./store";

const ACTIONS = ["LIKE", "COMMENT", "SHARE", "SHARE_MENTION", "ADMIN_COMMENT", "COMMENT_EDIT", "COMMENT_DELETE"];
const MOST_DAYS = 60;
const Criteria = Paging.extend({
  q: z.literal("criteria"),
  actions: z.string(),
  organizationalEntity: z.string(),
  timeRange: z.string().optional(),
});

export function notificationRoutes(sandbox: Sandbox) {
  const app = new Hono<LinkedinEnv>();
  const resource = "organizationalEntityNotifications.FINDER-criteria";
  const read = endpoint(sandbox, { operation: "comments", resource, scopes: ["rw_organization_admin"] });

  app.get("/rest/organizationalEntityNotifications", ...read, (c) => {
    const { organizationalEntity, timeRange, ...query } = readQuery(sandbox, c, Criteria);
    const { caller } = c.var;
    const entity = keyOf(sandbox, caller.clientId, organizationalEntity);
    if (entity === null || !mayActAs(sandbox, caller, entity, "read comments")) throw denied(resource);
    const actions = readList(c, "actions");
    const unknown = actions.find((action) => !ACTIONS.includes(action));
    if (unknown !== undefined) throw badInput("PARAM_INVALID", "/actions", `${unknown} is no action`);
    const [from, to] = rangeOf(timeRange, sandbox.now());
    type Found = CommentRow & Pick<PostRow, "urn" | "author"> & { post_text: string };
    const rows = sandbox.db
      .all<Found>(
        `SELECT m.*, p.urn, p.author, p.text AS post_text FROM linkedin_comments m JOIN linkedin_posts p ON p.activity = m.activity
         WHERE p.author = ? AND m.created_at BETWEEN ? AND ? ORDER BY m.created_at DESC`,
        entity,
        from,
        to,
      )
      .filter((row) => actions.includes(row.actor === row.author ? "ADMIN_COMMENT" : "COMMENT"));
    const view = (row: Found) => ({
      notificationId: Number(BigInt(row.id) % 1_000_000_007n),
      organizationalEntity,
      action: row.actor === row.author ? "ADMIN_COMMENT" : "COMMENT",
      sourcePost: row.activity,
      // The short form of a comment's URN.
      generatedActivity: commentUrn(row).replace("(urn:li:", "("),
      decoratedSourcePost: { entity: row.urn, owner: organizationalEntity, text: row.post_text, mediaCategory: "NONE" },
      decoratedGeneratedActivity: {
        comment: {
          entity: commentUrn(row),
          owner: urnOf(caller.clientId, row.actor),
          text: row.text,
          object: row.activity,
        },
      },
      lastModifiedAt: row.modified_at,
      subscriber: urnOf(caller.clientId, `person:${caller.personId}`),
    });
    const page = pageOf(rows, query);
    return c.json({ ...page, elements: page.elements.map(view) });
  });
  return app;
}

function rangeOf(sent: string | undefined, now: number): [number, number] {
  const oldest = now - MOST_DAYS * 86_400_000;
  if (sent === undefined) return [oldest, now];
  const [, start, end = String(now)] = /^\(start:(\d+)(?:,end:(\d+))?\)$/.exec(sent) ?? [];
  if (start === undefined) throw new RestError(400, "PARAM_INVALID", "timeRange must read (start:…,end:…)");
  return [Math.max(oldest, Number(start)), Number(end)];
}
