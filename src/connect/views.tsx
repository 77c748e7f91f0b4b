import { SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { plural } from "../core/text.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import { platformTitle } from "../platforms/facts.ts";
import type { GrantedAccount } from "../platforms/login.ts";
import type { PlatformName } from "../platforms/names.ts";
import { isUsable } from "./accounts.ts";
import { Connected, type FormTarget, ReturnLink } from "./layout.tsx";
import { type LoginName, loginTitle } from "./logins.ts";
import type { ConnectedChannel } from "./table.ts";

/** The hosted pages after the first one, one component each. They need no script. */

// --- choosing accounts ------------------------------------------------------------------------------------------

interface ChooseAccounts {
  readonly form: FormTarget;
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
  const { form, platform } = view;
  const title = platformTitle(platform);
  return (
    <>
      <Heading
        title={`Choose accounts from ${title}`}
        lead={
          view.next === null
            ? "Select every account that this service may publish to."
            : `Select every account that this service may publish to. ${loginTitle(view.next)} comes next.`
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
          <legend>{plural(view.accounts.length, "account")}</legend>
          <div class="rows">
            {view.accounts.map((account) => (
              <AccountRow account={account} view={view} />
            ))}
          </div>
        </fieldset>
        <button class="button first" type="submit">
          Connect
        </button>
      </form>
      {view.isOptional ? <SkipLogin form={form} login={platform} /> : null}
      <a class="plain" href={form.action}>
        Choose other platforms
      </a>
    </>
  );
}

function AccountRow({ account, view }: { readonly account: GrantedAccount; readonly view: ChooseAccounts }) {
  const { pictureUrl } = account;
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
          {canBeConnected ? about : (account.unusableReason ?? "This account cannot be published to.")}
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

function SkipLogin({ form, login }: { readonly form: FormTarget; readonly login: LoginName }) {
  return (
    <form method="post" action={`${form.action}/next`}>
      <Proof proof={form.proof} />
      <input type="hidden" name="without" value={login} />
      <button class="button" type="submit">
        Go on without {loginTitle(login)}
      </button>
    </form>
  );
}

// --- what did not work ------------------------------------------------------------------------------------------

interface LoginFailed {
  readonly form: FormTarget;
  readonly login: LoginName;
  readonly title: string;
  readonly message: string;
  readonly connected: readonly ConnectedChannel[];
  readonly isOptional: boolean;
  readonly brand: Brand;
  readonly returnLink: string | null;
}

export function LoginFailed(view: LoginFailed) {
  const { form, login, connected } = view;
  return (
    <>
      <Heading mark="bad" title={view.title} lead={view.message} />
      {connected.length > 0 && <Connected channels={connected} />}
      <div class="actions">
        <form method="post" action={`${form.action}/next`}>
          <Proof proof={form.proof} />
          <input type="hidden" name="platform" value={login} />
          <button class="button first" type="submit">
            Try again
          </button>
        </form>
        {view.isOptional && <SkipLogin form={form} login={login} />}
        <a class="plain" href={form.action}>
          Choose other platforms
        </a>
        <ReturnLink href={view.returnLink} brand={view.brand} />
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
export function Notice({ title, lead, mark = "bad", links = [], brand }: Notice) {
  return (
    <>
      <Heading mark={mark} title={title} lead={lead} />
      {links.length === 0 ? (
        <section class="note">
          <h2>What to do next</h2>
          <ol>
            <li>Close this page and go back to the app where you started.</li>
            <li>Start connecting again there. The app gives you a new link.</li>
            {brand?.support && (
              <li>
                If that does not help, contact <SupportLink support={brand.support} />.
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
  readonly returnLink: string | null;
}

export function Finished({ channels, brand, returnLink }: Finished) {
  return (
    <>
      <Heading
        mark="good"
        title="Connected"
        lead={returnLink === null ? "All done. You can close this window." : "All done. You can go back to the app."}
      />
      <Connected channels={channels} />
      <ReturnLink href={returnLink} brand={brand} isFirst />
    </>
  );
}
