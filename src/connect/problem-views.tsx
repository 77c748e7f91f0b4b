import type { Child } from "hono/jsx";
import { SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { Heading, Proof } from "../pages/layout.tsx";
import { SkipLogin } from "./account-views.tsx";
import { Connected, type FormTarget, ReturnLink } from "./layout.tsx";
import type { LoginName } from "./logins.ts";
import type { ConnectedChannel } from "./table.ts";
import type { Wording } from "./wording.tsx";

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
