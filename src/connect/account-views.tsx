import { Heading, Proof } from "../pages/layout.tsx";
import { platformTitle } from "../platforms/facts.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import type { PlatformName } from "../platforms/names.ts";
import { isUsable } from "./accounts.ts";
import type { FormTarget } from "./layout.tsx";
import type { LoginName } from "./logins.ts";
import { type ConnectTexts, loginTitleIn, Said, type Wording } from "./wording.tsx";

/** The hosted pages after the first one, one component each. They need no script. */

interface ChooseAccounts {
  readonly form: FormTarget;
  readonly wording: Wording;
  readonly platform: PlatformName;
  readonly accounts: readonly GrantedAccount[];
  readonly isTicked: (account: GrantedAccount) => boolean;
  readonly isShownPicture: (url: string) => boolean;
  readonly problem: string | null;
  /** The login after this platform. */
  readonly next: LoginName | null;
  readonly isOptional: boolean;
}

export function ChooseAccounts(view: ChooseAccounts) {
  const { form, platform, wording } = view;
  const { texts } = wording;
  const { accounts } = texts;
  return (
    <>
      <Heading
        title={accounts.title({ platform: platformTitle(platform) })}
        lead={
          view.next === null
            ? accounts.lead
            : `${accounts.lead} ${accounts.next({ login: loginTitleIn(texts, view.next) })}`
        }
      />
      {view.problem !== null && (
        <p class="note bad" role="alert">
          {view.problem}
        </p>
      )}
      <form method="post" action={`${form.action}/accounts/${platform}`}>
        <Proof proof={form.proof} />
        <fieldset>
          <legend>{accounts.count({ count: view.accounts.length })}</legend>
          <div class="rows">
            {view.accounts.map((account) => (
              <AccountRow account={account} view={view} />
            ))}
          </div>
        </fieldset>
        <button class="button first" type="submit">
          {accounts.submit}
        </button>
      </form>
      {view.isOptional ? <SkipLogin form={form} texts={texts} login={platform} /> : null}
      <a class="plain" href={form.action}>
        {texts.otherPlatforms}
      </a>
    </>
  );
}

function AccountRow({ account, view }: { readonly account: GrantedAccount; readonly view: ChooseAccounts }) {
  const { pictureUrl } = account;
  const { wording } = view;
  const canBeConnected = isUsable(account);
  const about = account.username === null ? null : `@${account.username}`;
  return (
    <label class={canBeConnected ? "row" : "row off"}>
      <span class="avatar round" aria-hidden="true">
        <span>{[...account.name.trim()][0]?.toUpperCase() ?? "?"}</span>
        {pictureUrl !== null && view.isShownPicture(pictureUrl) && (
          <img src={pictureUrl} alt="" width="40" height="40" loading="lazy" />
        )}
      </span>
      <span class="what">
        <span class="name">{account.name}</span>
        <span class="about">
          {canBeConnected ? about : <Unusable reason={account.unusableReason} wording={wording} />}
        </span>
      </span>
      <input
        type="checkbox"
        name="account"
        value={account.id}
        checked={view.isTicked(account)}
        disabled={!canBeConnected}
      />
    </label>
  );
}

function Unusable({ reason, wording }: { readonly reason: string | null; readonly wording: Wording }) {
  const { unusable } = wording.texts.accounts;
  return reason === null ? <span>{unusable}</span> : <Said wording={wording} sentence={reason} lead={unusable} />;
}

interface SkipLogin {
  readonly form: FormTarget;
  readonly texts: ConnectTexts;
  readonly login: LoginName;
}

export function SkipLogin({ form, texts, login }: SkipLogin) {
  return (
    <form method="post" action={`${form.action}/next`}>
      <Proof proof={form.proof} />
      <input type="hidden" name="without" value={login} />
      <button class="button" type="submit">
        {texts.without({ login: loginTitleIn(texts, login) })}
      </button>
    </form>
  );
}
