import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { idOf, type PasskeyId } from "../../core/ids.ts";
import {
  addPasskey,
  type KnownPasskey,
  newPasskeyOptions,
  removePasskey,
  renamePasskey,
} from "../../people/passkeys.ts";
import { type Entry, PageProblem, type PersonVisit, personAction } from "../definition.ts";
import { idIn, line, NoFields } from "../fields.ts";
import { Confirm, Form, Time } from "../parts.tsx";
import { attestationField, PasskeyForm, placeOf } from "../sign-in/passkey-form.tsx";
import { mailSecurityEvent } from "./security-mail.ts";

/** The passkeys of an account: a part of its page, and what changes them. */

const PAGE = "/account";
const ADDRESS = "/console/account/passkeys";

export interface OwnPasskeys {
  readonly passkeys: readonly KnownPasskey[];
  readonly options: Awaited<ReturnType<typeof newPasskeyOptions>>;
}

export async function withOptions(visit: PersonVisit, passkeys: readonly KnownPasskey[]): Promise<OwnPasskeys> {
  return { passkeys, options: await newPasskeyOptions(visit.deps, placeOf(visit), visit.visitor.person, passkeys) };
}

export function Passkeys({ visit, own }: { readonly visit: PersonVisit; readonly own: OwnPasskeys }) {
  const { passkeys: texts } = visit.texts.account;
  return (
    <>
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">{texts.lead}</p>
      </div>
      <section class="card flush">
        {own.passkeys.length > 0 && (
          <ul class="items" aria-label={texts.title}>
            {own.passkeys.map((passkey) => (
              <PasskeyItem visit={visit} passkey={passkey} />
            ))}
          </ul>
        )}
        <div class="foot">
          {own.passkeys.length === 0 && <p class="small">{texts.empty}</p>}
          <PasskeyForm visit={visit} action={ADDRESS} passkey="add" options={own.options} cancelled={texts.cancelled}>
            <div class="buttons">
              <button class="button" type="submit">
                {texts.add}
              </button>
            </div>
          </PasskeyForm>
        </div>
      </section>
    </>
  );
}

function PasskeyItem({ visit, passkey }: { readonly visit: PersonVisit; readonly passkey: KnownPasskey }) {
  const { passkeys: texts } = visit.texts.account;
  const { id, name, createdAt, lastUsedAt } = passkey;
  return (
    <li>
      <div class="what">
        <span class="name">{name}</span>
        <span class="facts">
          <span>
            {texts.created} <Time at={createdAt} zone="UTC" visit={visit} />
          </span>
          {lastUsedAt !== null && (
            <span>
              {texts.lastUsed} <Time at={lastUsedAt} zone="UTC" visit={visit} />
            </span>
          )}
        </span>
      </div>
      <details class="rename">
        <summary class="button small">{texts.rename}</summary>
        <Form visit={visit} action={`${ADDRESS}/${id}`} inline>
          <label class="hidden" for={`passkey-${id}-name`}>
            {texts.name}
          </label>
          <input id={`passkey-${id}-name`} name="name" value={name} maxlength={MAX_NAME} required />
          <button class="button small" type="submit">
            {texts.save}
          </button>
        </Form>
      </details>
      <Confirm
        visit={visit}
        id={`passkey-${id}`}
        button={texts.remove}
        title={texts.removeTitle({ name })}
        lead={texts.removeLead}
        action={`${ADDRESS}/${id}/remove`}
      />
    </li>
  );
}

const MAX_NAME = 60;

const addAction = personAction({
  effect: "sets",
  path: "/account/passkeys",
  page: PAGE,
  // A person who adds a passkey can sign in with it from then on.
  needsRecentSignIn: true,
  body: ({ account }) => z.object({ answer: attestationField(account.passkeys.refused) }),
  run: async (visit, { answer }) => {
    const { deps, visitor, browser, now } = visit;
    const { passkeys: texts } = visit.texts.account;
    const wanted = { person: visitor.person, answer, name: browser.device || texts.unnamed };
    const added = await addPasskey(deps, placeOf(visit), wanted, now);
    if (added === "full") throw new PageProblem("quota_exceeded", texts.full);
    if (added !== "added") throw new PageProblem("invalid_request", texts[added]);
    mailSecurityEvent(visit, visitor.person.email, "passkey");
    return { to: "/console/account", flash: { notice: texts.added } };
  },
});

const renameAction = personAction({
  effect: "sets",
  path: "/account/passkeys/:passkey",
  page: PAGE,
  body: () => z.object({ name: line(MAX_NAME) }),
  run: async ({ deps, visitor, params, texts }, { name }) => {
    const id = idOf<PasskeyId>(idIn(params.passkey));
    if (!(await renamePasskey(deps.directory, visitor.person.id, id, name)))
      throw new AppError("not_found", "No such passkey.");
    return { to: "/console/account", flash: { notice: texts.account.passkeys.renamed } };
  },
});

const removeAction = personAction({
  effect: "sets",
  path: "/account/passkeys/:passkey/remove",
  page: PAGE,
  needsRecentSignIn: true,
  body: () => NoFields,
  run: async ({ deps, visitor, params, texts }) => {
    const id = idOf<PasskeyId>(idIn(params.passkey));
    if (!(await removePasskey(deps.directory, visitor.person.id, id)))
      throw new AppError("not_found", "No such passkey.");
    return { to: "/console/account", flash: { notice: texts.account.passkeys.removed } };
  },
});

export const PASSKEYS: readonly Entry[] = [addAction, renameAction, removeAction];
