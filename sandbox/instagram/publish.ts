// Publishing of containers, and the publishing limit of an account.

import { Hono } from "hono";
import { z } from "zod";
import { badParameter, GraphError } from "../meta/errors";
import { project } from "../meta/fields";
import { strings } from "../meta/logins";
import { type GraphEnv, moment, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { stateOf } from "./container-status";
import { childIds, notReady, ownContainer } from "./containers";
import { mediaView } from "./media";
import { MediaShape } from "./shapes";
import { type ContainerRow, DAY_MS, findContainer, findMedia, insertMedia, newMediaId } from "./store";
import { accountOf, misbehaviour } from "./tokens";

const PUBLISH = { scopes: ["instagram_content_publish"], task: "CREATE_CONTENT" };

export function publishRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: "publish" | "status") => operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));

  app.post("/:ig/media_publish", on("publish"), async (c) => {
    const { creation_id, fields } = parse(c, z.object({ creation_id: text, fields: text.optional() }));
    const answer = (id: string) => {
      const media = fields ? findMedia(sandbox, id) : null;
      return c.json(media ? project(mediaView(sandbox, media), MediaShape, fields) : { id });
    };
    const { account } = await accountOf(sandbox, c, c.req.param("ig"), PUBLISH);
    const container = ownContainer(sandbox, c, account.id, creation_id);
    if (container.is_child) throw badParameter("A carousel item is published with its carousel");
    if (container.published_at !== null) {
      const again = publishAgain(sandbox, container);
      if (again !== null) return answer(again);
    }
    const state = stateOf(sandbox, container);
    if (state === "EXPIRED") throw new GraphError(-2, "The media container has expired.", { subcode: 2207020 });
    if (state === "ERROR") throw new GraphError(24, "The media builder was not found.", { subcode: 2207008 });
    if (state === "IN_PROGRESS") throw notReady();
    if (countPublished(sandbox, account.id, null) >= sandbox.settings.all.instagram_quota_total) {
      throw new GraphError(9, "The user has exceeded the maximum number of posts that can be published.", {
        subcode: 2207042,
      });
    }
    return answer(publish(sandbox, container));
  });

  app.get("/:ig/content_publishing_limit", on("status"), async (c) => {
    const { since } = parse(c, z.object({ fields: text.optional(), since: moment.optional() }));
    const { account } = await accountOf(sandbox, c, c.req.param("ig"), { scopes: ["instagram_content_publish"] });
    if (since !== undefined && since < sandbox.now() - DAY_MS)
      throw badParameter("since may lie 24 hours back at most");
    const config = { quota_total: sandbox.settings.all.instagram_quota_total, quota_duration: DAY_MS / 1000 };
    return c.json({ data: [{ quota_usage: countPublished(sandbox, account.id, since ?? null), config }] });
  });
  return app;
}

/** The number of posts in the last 24 hours across all apps, or since a given time. */
function countPublished(sandbox: Sandbox, accountId: string, since: number | null): number {
  const counted = sandbox.db.first<{ count: number }>(
    "SELECT count(*) AS count FROM instagram_publishings WHERE account_id = ? AND at > ?",
    accountId,
    Math.max(since ?? 0, sandbox.now() - DAY_MS),
  );
  return counted?.count ?? 0;
}

/**
 * The response to a second publish of a container, which is undocumented. Null if it creates a second post.
 */
function publishAgain(sandbox: Sandbox, { media_id }: ContainerRow): string | null {
  switch (sandbox.settings.all.instagram_second_publish) {
    case "refused":
      throw new GraphError(24, "The media builder was not found.", { subcode: 2207008 });
    case "same_id":
      return media_id;
    case "doubled":
      return null;
  }
}

function publish(sandbox: Sandbox, container: ContainerRow): string {
  const id = newMediaId(sandbox);
  const now = sandbox.now();
  const liveAt = now + sandbox.settings.all.instagram_late_publish_ms;
  const { account_id, kind, caption, url, alt_text, is_video } = container;
  const labels = labelsShown(sandbox, container);
  insertMedia(sandbox, {
    id,
    account_id,
    kind,
    caption,
    url,
    alt_text,
    is_video,
    parent_id: null,
    labels,
    live_at: liveAt,
  });
  for (const child of childIds(container).flatMap((one) => findContainer(sandbox, one) ?? [])) {
    insertMedia(sandbox, {
      id: newMediaId(sandbox),
      account_id,
      kind: child.kind,
      caption: null,
      url: child.url,
      alt_text: child.alt_text,
      is_video: child.is_video,
      parent_id: id,
      labels: "[]",
      live_at: liveAt,
    });
  }
  sandbox.db.run(
    "UPDATE instagram_containers SET published_at = coalesce(published_at, ?), media_id = ? WHERE id = ?",
    liveAt,
    id,
    container.id,
  );
  sandbox.db.run("INSERT INTO instagram_publishings (account_id, at) VALUES (?, ?)", account_id, now);
  return id;
}

/** Instagram may find out by itself that a model made the media. */
function labelsShown(sandbox: Sandbox, { labels }: ContainerRow): string {
  if (!sandbox.settings.all.instagram_labels_by_itself) return labels;
  return JSON.stringify([...new Set([...strings(labels), "is_ai_generated"])]);
}
