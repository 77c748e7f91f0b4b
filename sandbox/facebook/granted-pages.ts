// What a login was granted: its scopes, its pages, and the tokens of these.

import { z } from "zod";
import { GraphError } from "../meta/errors";
import type { JsonObject } from "../meta/fields";
import type { GraphContext } from "../meta/params";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import type { PageRow } from "./store";
import type { Token, TokenKind } from "./tokens";

type Grant = { id: number; scopes: string; declined: string; page_ids: string; dead_subcode: number | null };

const Strings = z.array(z.string());
export const strings = (json: string) => Strings.parse(JSON.parse(json));

export function insertToken(
  sandbox: Sandbox,
  t: {
    token: string;
    grantId: number;
    kind: TokenKind;
    pageId: string | null;
    parent: string | null;
    expiresAt: number;
  },
): void {
  sandbox.db.run(
    `INSERT INTO facebook_tokens (token, grant_id, kind, page_id, parent, issued_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    t.token,
    t.grantId,
    t.kind,
    t.pageId,
    t.parent,
    sandbox.now(),
    t.expiresAt,
  );
}

export function grantOf(sandbox: Sandbox, id: number): Grant {
  const grant = sandbox.db.first<Grant>("SELECT * FROM facebook_grants WHERE id = ?", id);
  if (!grant) throw new GraphError(190, "Error validating access token.", { subcode: 467 });
  return grant;
}

export function grantedPages(sandbox: Sandbox, token: Token): PageRow[] {
  const ids = strings(grantOf(sandbox, token.grantId).page_ids);
  const pages = sandbox.db.all<PageRow>("SELECT * FROM facebook_pages ORDER BY id");
  return pages.filter((page) => ids.includes(page.id));
}

export const tasksOf = (page: PageRow) => strings(page.tasks);

/** A page as its person sees it; the token is there only where the person's tasks and grant allow one. */
export function pageView(sandbox: Sandbox, c: GraphContext, page: PageRow, token: Token): JsonObject {
  const tasks = tasksOf(page);
  const mayAct = tasks.includes("CREATE_CONTENT") || tasks.includes("MANAGE");
  const accessToken = token.kind === "page" ? token.token : mayAct ? pageToken(sandbox, page.id, token) : undefined;
  return {
    id: page.id,
    name: page.name,
    category: page.category,
    tasks,
    link: `https://www.facebook.com/${page.id}`,
    is_published: true,
    fan_count: 1204,
    followers_count: 1260,
    picture: {
      data: { url: `${c.env.origin}/_media/square.jpg`, width: 50, height: 50, is_silhouette: false },
    },
    ...(page.instagram ? { instagram_business_account: JSON.parse(page.instagram) } : {}),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  };
}

function pageToken(sandbox: Sandbox, pageId: string, from: Token): string | undefined {
  const known = sandbox.db.first<{ token: string }>(
    "SELECT token FROM facebook_tokens WHERE parent = ? AND page_id = ?",
    from.token,
    pageId,
  );
  if (known) return known.token;
  if (!strings(grantOf(sandbox, from.grantId).page_ids).includes(pageId)) return undefined;
  const parent = sandbox.db.first<{ expires_at: number }>(
    "SELECT expires_at FROM facebook_tokens WHERE token = ?",
    from.token,
  );
  const token = `EAAP${randomText(160)}`;
  const expiresAt = from.kind === "user_long" ? 0 : (parent?.expires_at ?? 0);
  insertToken(sandbox, { token, grantId: from.grantId, kind: "page", pageId, parent: from.token, expiresAt });
  return token;
}
