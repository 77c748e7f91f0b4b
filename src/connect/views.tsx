import type { Child } from "hono/jsx";
import { SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import { platformTitle } from "../platforms/facts.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import type { PlatformName } from "../platforms/names.ts";
import { isUsable } from "./accounts.ts";
import { Connected, type FormTarget, ReturnLink } from "./layout.tsx";
import type { LoginName } from "./logins.ts";
import type { ConnectedChannel } from "./table.ts";
import { type ConnectTexts, loginTitleIn, Said, type Wording } from "./wording.tsx";

/** The hosted pages after the first one, one component each. They need no script. */

// --- choosing accounts ------------------------------------------------------------------------------------------

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

function SkipLogin({ form, texts, login }: SkipLogin) {
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

// --- what did not work ------------------------------------------------------------------------------------------

interface LoginFailed {
  readonly form: FormTarget;
  readonly login: LoginName;
  readonly wording: Wording;
  readonly title: string;
  readonly message: Child;
  readonly connected: readonly ConnectedChannel[];
  readonly isOptional: boolean;
  readonly brand: Brand;
  readonly returnLink: string | null;
}

export function LoginFailed(view: LoginFailed) {
  const { form, login, connected, wording } = view;
  const { texts } = wording;
  return (
    <>
      <Heading mark="bad" title={view.title} lead={view.message} />
      {connected.length > 0 && <Connected channels={connected} wording={wording} />}
      <div class="actions">
        <form method="post" action={`${form.action}/next`}>
          <Proof proof={form.proof} />
          <input type="hidden" name="platform" value={login} />
          <button class="button first" type="submit">
            {texts.tryAgain}
          </button>
        </form>
        {view.isOptional && <SkipLogin form={form} texts={texts} login={login} />}
        <a class="plain" href={form.action}>
          {texts.otherPlatforms}
        </a>
        <ReturnLink href={view.returnLink} brand={view.brand} wording={wording} />
      </div>
    </>
  );
}

export interface Notice {
  readonly title: string;
  readonly lead: string;
  readonly mark?: "good" | "bad" | "calm";
  readonly links?: readonly { readonly href: string; readonly text: string }[];
  /** Whose page it is, where a project is known but no session is open. */
  readonly brand?: Brand | null | undefined;
}

/** A page without a form. It always names a next step: links, or what to do in the app. */
export function Notice({
  title,
  lead,
  mark = "bad",
  links = [],
  brand,
  wording,
}: Notice & { readonly wording: Wording }) {
  const { notice } = wording.texts;
  return (
    <>
      <Heading mark={mark} title={title} lead={lead} />
      {links.length === 0 ? (
        <section class="note">
          <h2>{notice.todo}</h2>
          <ol>
            <li>{notice.close}</li>
            <li>{notice.restart}</li>
            {brand?.support && (
              <li>
                {notice.help} <SupportLink support={brand.support} />
              </li>
            )}
          </ol>
        </section>
      ) : (
        <div class="actions">
          {links.map(({ href, text }, index) => (
            <a class={index === 0 ? "button first" : "button"} href={href} rel="noreferrer">
              {text}
            </a>
          ))}
        </div>
      )}
    </>
  );
}

// --- the end ----------------------------------------------------------------------------------------------------

interface Finished {
  readonly channels: readonly ConnectedChannel[];
  readonly brand: Brand;
  readonly wording: Wording;
  readonly returnLink: string | null;
}

export function Finished({ channels, brand, wording, returnLink }: Finished) {
  const { finished } = wording.texts;
  return (
    <>
      <Heading mark="good" title={finished.title} lead={returnLink === null ? finished.close : finished.back} />
      <Connected channels={channels} wording={wording} />
      <ReturnLink href={returnLink} brand={brand} wording={wording} isFirst />
    </>
  );
}
