// The Pages of a Facebook login, through which the app finds the Instagram accounts, and the Pages' tokens.

import { facebookLoginRoutes } from "../meta/facebook-login";
import { type JsonObject, project } from "../meta/fields";
import { issueToken, strings } from "../meta/logins";
import { pageOf } from "../meta/paging";
import type { GraphContext } from "../meta/params";
import type { Sandbox } from "../sandbox";
import { GRAPH_OF, PageShape } from "./shapes";
import { type AccountRow, listAccounts, PERSON } from "./store";
import { APP_ID, APP_NAME, APP_SECRET, authenticate, findToken, misbehaviour, type Token } from "./tokens";

export const loginRoutes = (sandbox: Sandbox) =>
  facebookLoginRoutes(sandbox, {
    platform: "instagram",
    id: APP_ID,
    secret: APP_SECRET,
    name: APP_NAME,
    personId: PERSON.id,
    misbehaviour: misbehaviour(sandbox),
    find: (token) => findToken(sandbox, token),
    authenticate: (c, kinds) => authenticate(sandbox, c, kinds),
    seconds: (kind) => sandbox.settings.all[`instagram_${kind}_token_seconds`],
    isProlonged: () => sandbox.settings.all.instagram_prolongs,
    pages(c, token, fields, paging) {
      const items = token.scopes.includes("pages_show_list") ? pagesOf(sandbox, token) : [];
      const view = (page: AccountRow) => project(pageView(sandbox, c, page, token), PageShape, fields);
      const isShort = sandbox.settings.all.instagram_short_pages;
      return pageOf(c, { items, keyOf: ({ page_id }) => page_id, view, origin: GRAPH_OF.facebook, isShort }, paging);
    },
  });

/** Includes a Page without a professional account; its account id is empty. */
export function pagesOf(sandbox: Sandbox, token: Token): AccountRow[] {
  const accounts = listAccounts(sandbox).filter(({ id }) => token.subjects.includes(id));
  const unlinked = { id: "", username: "", name: "", tasks: '["MANAGE"]' };
  return [...accounts, { ...unlinked, page_id: "105000000000009", page_name: "Page Without Instagram" }];
}

/** A Page of the login by its id. */
export function findPage(sandbox: Sandbox, token: Token, id: string): AccountRow | null {
  return token.login === "facebook" ? (pagesOf(sandbox, token).find(({ page_id }) => page_id === id) ?? null) : null;
}

export function pageView(sandbox: Sandbox, c: GraphContext, row: AccountRow, token: Token): JsonObject {
  const tasks = strings(row.tasks);
  const mayAct = tasks.includes("CREATE_CONTENT") || tasks.includes("MANAGE");
  const lastsMs = token.kind === "short" ? token.expiresAt - sandbox.now() : null;
  const { grantId } = token;
  const account = {
    id: row.id,
    username: row.username,
    name: row.name,
    profile_picture_url: `${c.env.origin}/_media/square.jpg`,
  };
  const asksForToken = /\baccess_token\b/.test(String(c.var.params.fields ?? "access_token"));
  return {
    id: row.page_id,
    name: row.page_name,
    category: "Local business",
    tasks,
    ...(row.id === "" ? {} : { instagram_business_account: account }),
    ...(mayAct && asksForToken
      ? {
          access_token: issueToken(sandbox, { grantId, kind: "page", prefix: "EAAP", pageId: row.page_id, lastsMs }),
        }
      : {}),
  };
}
