// The Pages and user of a Facebook login, and the Pages' tokens.

import { followersAt } from "../books";
import { facebookLoginRoutes } from "../meta/facebook-login";
import { type JsonObject, project } from "../meta/fields";
import { issueToken, strings } from "../meta/logins";
import type { GraphContext } from "../meta/params";
import type { Sandbox } from "../sandbox";
import { pageOf } from "./paging";
import { AccountShape, UserShape } from "./shapes";
import { type PageRow, PERSON } from "./store";
import { APP_ID, APP_NAME, APP_SECRET, authenticate, findToken, misbehaviour, type Token } from "./tokens";

export const loginRoutes = (sandbox: Sandbox) =>
  facebookLoginRoutes(sandbox, {
    platform: "facebook",
    id: APP_ID,
    secret: APP_SECRET,
    name: APP_NAME,
    personId: PERSON.id,
    misbehaviour: misbehaviour(sandbox),
    find: (token) => findToken(sandbox, token),
    authenticate: (c, kinds) => authenticate(sandbox, c, kinds),
    seconds: (kind) => sandbox.settings.all[`facebook_${kind}_token_seconds`],
    isProlonged: () => true,
    pages(c, token, fields, paging) {
      const pages = token.scopes.includes("pages_show_list") ? grantedPages(sandbox, token) : [];
      const view = (page: PageRow) => project(pageView(sandbox, c, page, token), AccountShape, fields);
      return pageOf(sandbox, c, { items: pages, keyOf: (page) => page.id, view }, paging);
    },
  });

export function grantedPages(sandbox: Sandbox, token: Token): PageRow[] {
  const pages = sandbox.db.all<PageRow>("SELECT * FROM facebook_pages ORDER BY id");
  return pages.filter((page) => token.subjects.includes(page.id));
}

export const tasksOf = (page: PageRow) => strings(page.tasks);

/** A Page as its user sees it. It includes a token only if the user's tasks and grant allow one. */
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
    followers_count: followersAt(page.id, sandbox.now()),
    picture: pictureOf(c),
    ...(page.instagram ? { instagram_business_account: JSON.parse(page.instagram) } : {}),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
  };
}

function pageToken(sandbox: Sandbox, pageId: string, from: Token): string | undefined {
  const known = sandbox.db.first<{ token: string }>(
    "SELECT token FROM meta_tokens WHERE parent = ? AND page_id = ?",
    from.token,
    pageId,
  );
  if (known) return known.token;
  if (!from.subjects.includes(pageId)) return undefined;
  const lastsMs = from.kind === "long" ? null : from.expiresAt - sandbox.now();
  return issueToken(sandbox, {
    grantId: from.grantId,
    kind: "page",
    prefix: "EAAP",
    pageId,
    parent: from.token,
    lastsMs,
  });
}

const pictureOf = (c: GraphContext) => ({
  data: { url: `${c.env.origin}/_media/square.jpg`, width: 50, height: 50, is_silhouette: false },
});

export const userView = (c: GraphContext, fields: string | undefined) =>
  project({ ...PERSON, first_name: "Robin", last_name: "Sandbox", picture: pictureOf(c) }, UserShape, fields);
