import { selectTokens } from "../../accounts/store.ts";
import { issueToken, MAX_TOKENS, recallToken, revokeToken } from "../../accounts/tokens.ts";
import { AppError } from "../../core/errors.ts";
import { idOf, type TokenId } from "../../core/ids.ts";
import { mailSecurityEvent } from "../account/security-mail.ts";
import { type Entry, PageProblem, projectAction, projectPage } from "../definition.ts";
import { idIn, NoFields } from "../fields.ts";
import { onceInDirectory } from "../once-for-form.ts";
import { NewToken, readScope } from "./new-token.ts";
import { CreatedToken, NewTokenForm, TokenList } from "./token-views.tsx";

/** Access tokens of a project: the same functions as `npm run token`. */

const PATH = "/projects/:project/tokens";
const NEW_PATH = "/projects/:project/tokens/new";
/** Valid tokens come first, so they are all shown. */
const MOST_SHOWN = MAX_TOKENS + 100;

const tokensPage = projectPage({
  path: PATH,
  role: "editor",
  menu: { title: ({ tokens }) => tokens.title, icon: "key" },
  title: ({ tokens }) => tokens.title,
  load: async ({ deps, project, now }) => ({ tokens: await selectTokens(deps.directory, project.id, now, MOST_SHOWN) }),
  view: ({ tokens }, visit) => {
    const { flash } = visit;
    if (flash?.secret !== undefined) {
      const [created] = tokens.filter(({ hint }) => flash.secret?.startsWith(hint.slice(0, -1)));
      return <CreatedToken visit={visit} token={flash.secret} permissions={created?.permissions ?? []} />;
    }
    return <TokenList visit={visit} tokens={tokens} />;
  },
});

const newTokenPage = projectPage({
  path: NEW_PATH,
  role: "owner",
  needsRecentSignIn: true,
  title: ({ tokens }) => tokens.createTitle,
  load: async () => ({}),
  view: (_, visit) => <NewTokenForm visit={visit} />,
});

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "owner",
  needsRecentSignIn: true,
  body: () => NewToken,
  run: async (visit, body, key) => {
    const { deps, project, visitor, texts } = visit;
    const scope = readScope(body, visit, project.timeZone);
    const about = { name: body.name, createdBy: visitor.person.email, via: "console" } as const;
    const wanted = { ...scope, ...about, moneyNeedsPerson: body.money === "person" };
    const issued = await onceInDirectory(
      visit,
      { key, operationId: "createToken", body },
      (record) => issueToken(deps, project, wanted, record),
      (stored) => recallToken(deps, project, stored),
    );
    if (!issued) throw new PageProblem("quota_exceeded", texts.tokens.limit({ most: MAX_TOKENS }));
    mailSecurityEvent(visit, visitor.person.email, "token");
    return { to: `/console/projects/${project.id}/tokens`, flash: { notice: body.name, secret: issued.token } };
  },
});

const revokeAction = projectAction({
  effect: "sets",
  path: "/projects/:project/tokens/:token/revoke",
  page: PATH,
  role: "owner",
  body: () => NoFields,
  run: async ({ deps, project, params, texts }) => {
    const isRevoked = await revokeToken(deps, idOf<TokenId>(idIn(params.token)), project.id);
    if (!isRevoked) throw new AppError("not_found", "No such token.");
    return { to: `/console/projects/${project.id}/tokens`, flash: { notice: texts.tokens.revokedNotice } };
  },
});

export const TOKENS: readonly Entry[] = [tokensPage, newTokenPage, createAction, revokeAction];
