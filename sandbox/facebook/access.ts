// Authorization: which token may do what on which Page.

import { GraphError, missingObject } from "../meta/errors";
import type { GraphContext } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import type { Sandbox } from "../sandbox";
import { tasksOf } from "./pages";
import { findPage } from "./store";
import { authenticate, type Token } from "./tokens";

export function pageOfToken(token: Token): string {
  if (token.pageId === null) throw new GraphError(190, "A Page access token is required.", { subcode: 2069032 });
  return token.pageId;
}

async function pageToken(sandbox: Sandbox, c: GraphContext, pageId: string): Promise<Token> {
  const token = await authenticate(sandbox, c, ["page"]);
  if (pageId !== "me" && pageId !== token.pageId) {
    if (!findPage(sandbox, pageId)) throw missingObject(pageId, c.req.method.toLowerCase());
    throw new GraphError(200, "(#200) The page access token belongs to another Page.");
  }
  return token;
}

/**
 * The token of a call that publishes on a Page: that Page's token, with the scopes, of a user with the
 * required task.
 */
export async function publisher(sandbox: Sandbox, c: GraphContext, pageId: string): Promise<Token> {
  const token = await pageToken(sandbox, c, pageId);
  requireScopes(token, "pages_manage_posts", "pages_read_engagement", "pages_show_list");
  requireTask(sandbox, token, "CREATE_CONTENT");
  return token;
}

export async function reader(sandbox: Sandbox, c: GraphContext, pageId: string): Promise<Token> {
  const token = await pageToken(sandbox, c, pageId);
  requireScopes(token, "pages_read_engagement");
  return token;
}

export function requireTask(sandbox: Sandbox, token: Token, task: string): void {
  const page = findPage(sandbox, pageOfToken(token));
  const tasks = page ? tasksOf(page) : [];
  if (tasks.includes(task) || tasks.includes("MANAGE")) return;
  throw new GraphError(200, `(#200) The person lacks the task ${task} on this Page.`);
}
