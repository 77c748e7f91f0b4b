import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { idOf, type SessionId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { LANGUAGE_CODES, LANGUAGE_NAMES } from "../../pages/languages.ts";
import { readTexts } from "../../pages/texts.ts";
import { deleteAccount } from "../../people/delete-account.ts";
import { selectPasskeys } from "../../people/passkeys.ts";
import { chooseLanguage, endSession, endSessions, selectSessions } from "../../people/sessions.ts";
import { type Entry, PageProblem, type PersonVisit, personAction, personPage } from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { FormButton } from "../form-buttons.tsx";
import { Confirm, Form, Notices, Time, Top } from "../parts.tsx";
import { PASSKEYS, Passkeys, withOptions } from "./passkey-pages.tsx";

/** The person's own passkeys and sessions. */

const PATH = "/account";

const accountPage = personPage({
  path: PATH,
  title: ({ account }) => account.title,
  load: async (visit) => {
    const { deps, visitor, now } = visit;
    const { sessions, passkeys } = await readTogether(deps.directory, {
      sessions: selectSessions(deps.directory, visitor.person.id, now),
      passkeys: selectPasskeys(deps.directory, visitor.person.id),
    });
    return { sessions, own: await withOptions(visit, passkeys) };
  },
  view: ({ sessions, own }, visit) => {
    const { account } = visit.texts;
    return (
      <>
        <Top title={account.title} lead={account.lead({ email: visit.visitor.person.email })} />
        <Notices visit={visit} />
        <Languages visit={visit} />
        <Passkeys visit={visit} own={own} />
        <div>
          <h2>{account.sessions}</h2>
          <p class="lead">{account.sessionsLead}</p>
        </div>
        <ul class="card flush items" aria-label={account.sessions}>
          {sessions.map((session) => {
            const isThis = session.id === visit.visitor.session.id;
            return (
              <li>
                <div class="what">
                  <span class="name">{session.device || account.device}</span>
                  <span class="facts">
                    <span>{session.place || account.place}</span>
                    <span>
                      {account.signedIn} <Time at={session.createdAt} zone="UTC" visit={visit} />
                    </span>
                    <span>
                      {account.seen} <Time at={session.lastSeenAt} zone="UTC" visit={visit} />
                    </span>
                  </span>
                </div>
                {isThis ? (
                  <span class="kind">{account.current}</span>
                ) : (
                  <FormButton
                    visit={visit}
                    action={`/console/account/sessions/${session.id}/end`}
                    text={account.end}
                    kind="small"
                  />
                )}
              </li>
            );
          })}
        </ul>
        <section class="card">
          <p>{account.endAllLead}</p>
          <Form visit={visit} action="/console/account/sessions/end-all">
            <div class="buttons">
              <button class="button bad" type="submit">
                {account.endAll}
              </button>
            </div>
          </Form>
        </section>
        <section class="card">
          <h2>{account.delete.title}</h2>
          <p>{account.delete.lead}</p>
          <div class="buttons">
            <Confirm
              visit={visit}
              id="delete-account"
              button={account.delete.button}
              title={account.delete.confirm({ email: visit.visitor.person.email })}
              lead={account.delete.confirmLead}
              action="/console/account/delete"
            />
          </div>
        </section>
      </>
    );
  },
});

function Languages({ visit }: { readonly visit: PersonVisit }) {
  const { account } = visit.texts;
  const { language } = visit.visitor.person;
  return (
    <section class="card">
      <Form visit={visit} action="/console/account/language" inline>
        <label class="what" for="language">
          <b>{account.language}</b>
        </label>
        <select id="language" name="language">
          <option value="">{account.languageAuto}</option>
          {LANGUAGE_CODES.map((code) => (
            <option value={code} selected={code === language} lang={code}>
              {LANGUAGE_NAMES[code]}
            </option>
          ))}
        </select>
        <button class="button small" type="submit">
          {account.languageSave}
        </button>
      </Form>
    </section>
  );
}

const languageAction = personAction({
  effect: "sets",
  path: "/account/language",
  page: PATH,
  body: () => z.object({ language: field(z.enum(["", ...LANGUAGE_CODES])) }),
  run: async ({ deps, visitor, texts }, { language }) => {
    await chooseLanguage(deps.directory, visitor.person.id, language || null);
    const own = language === "" ? texts : await readTexts(deps.assets, language);
    return { to: "/console/account", flash: { notice: own.account.languageSaved } };
  },
});

const endOneAction = personAction({
  effect: "sets",
  path: "/account/sessions/:session/end",
  page: PATH,
  body: () => NoFields,
  run: async ({ deps, visitor, params, texts }) => {
    const id = idOf<SessionId>(idIn(params.session));
    if (!(await endSession(deps.directory, visitor.person.id, id))) throw new AppError("not_found", "No such session.");
    if (id === visitor.session.id) return { to: "/console/sign-in", session: null };
    return { to: "/console/account", flash: { notice: texts.account.ended } };
  },
});

const endAllAction = personAction({
  effect: "sets",
  path: "/account/sessions/end-all",
  page: PATH,
  body: () => NoFields,
  run: async ({ deps, visitor }) => {
    await endSessions(deps.directory, visitor.person.id);
    return { to: "/console/sign-in", session: null };
  },
});

/** The account goes at once; projects stay with their other owners. */
const deleteAction = personAction({
  effect: "sets",
  path: "/account/delete",
  page: PATH,
  needsRecentSignIn: true,
  body: () => NoFields,
  run: async ({ deps, visitor, texts, now }) => {
    const outcome = await deleteAccount(deps, visitor.person, visitor.memberships, now);
    if (outcome === "last_owner") throw new PageProblem("not_changeable", texts.account.delete.lastOwner);
    return { to: "/console/sign-in", session: null, flash: { notice: texts.account.delete.done } };
  },
});

export const ACCOUNT: readonly Entry[] = [
  accountPage,
  languageAction,
  ...PASSKEYS,
  endOneAction,
  endAllAction,
  deleteAction,
];
