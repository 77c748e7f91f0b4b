import { z } from "zod";
import { Heading } from "../../pages/layout.tsx";
import { redeemPasskey, signInOptions } from "../../people/passkeys.ts";
import { endSession } from "../../people/sessions.ts";
import { CODE_SHAPE, redeemCode, requestCode } from "../../people/sign-in-code.ts";
import { findLink, redeemLink } from "../../people/sign-in-link.ts";
import {
  type Entry,
  NO_FORM,
  PageProblem,
  publicAction,
  publicPage,
  type Redirect,
  type Visit,
} from "../definition.ts";
import { email, field, localPath, NoFields } from "../fields.ts";
import { atMostOnceInBrowser } from "../once-for-form.ts";
import { Form, fieldValue, Notices, TextField } from "../parts.tsx";
import { assertionField, PasskeyForm, placeOf } from "./passkey-form.tsx";
import { PROVIDER } from "./provider-pages.tsx";
import { invitationIn, signIn, signInAs } from "./signing-in.ts";

/** Signing in by a code, a passkey or a link, and out. A sign-in ends the session that the browser had. */

const startPage = publicPage({
  path: "",
  title: () => "Belfry",
  load: async ({ visitor }) => {
    if (!visitor) return { to: "/console/sign-in" };
    const [first, second] = visitor.memberships;
    return { to: first && !second ? `/console/projects/${first.project.id}` : "/console/projects" };
  },
  view: () => null,
});

const signInPage = publicPage({
  path: "/sign-in",
  title: ({ signIn }) => signIn.title,
  load: async (visit): Promise<Redirect | WaysIn> => {
    const { deps, visitor, query, now } = visit;
    // A refused form is shown again, also to a person who is signed in.
    const isAgain = visitor !== null && (query.again !== undefined || visit.form !== NO_FORM);
    if (visitor && !isAgain && query.to === undefined) return { to: "/console" };
    return { isAgain, passkey: await signInOptions(deps, placeOf(visit), now) };
  },
  view: (ways, visit) => <SignInForms visit={visit} {...ways} />,
});

interface WaysIn {
  /** Whether a person who is signed in confirms who they are. */
  readonly isAgain: boolean;
  readonly passkey: Awaited<ReturnType<typeof signInOptions>>;
}

function SignInForms({ visit, isAgain, passkey }: WaysIn & { readonly visit: Visit }) {
  const { signIn } = visit.texts;
  const known = visit.visitor?.person.email;
  const to = localPath(fieldValue(visit, "to", visit.query.to));
  return (
    <>
      <Heading title={isAgain ? signIn.againTitle : signIn.title} lead={isAgain ? signIn.againLead : signIn.lead} />
      <Notices visit={visit} />
      <Form visit={visit} action="/console/sign-in">
        <input type="hidden" name="to" value={to} />
        <TextField
          visit={visit}
          name="email"
          type="email"
          label={signIn.email}
          value={known ?? ""}
          input={{ autocomplete: "username", required: true, autofocus: true }}
        />
        <button class="button first" type="submit">
          {signIn.submit}
        </button>
      </Form>
      <PasskeyForm
        visit={visit}
        action="/console/sign-in/passkey"
        passkey="use"
        options={passkey}
        cancelled={signIn.passkeyCancelled}
      >
        <input type="hidden" name="to" value={to} />
        <p class="or">{signIn.or}</p>
        <button class="button" type="submit">
          {signIn.passkey}
        </button>
      </PasskeyForm>
      <ProviderLink visit={visit} to={to} />
      {lacksMail(visit) && (
        <section class="note">
          <h2>{signIn.noMail.title}</h2>
          <p>{signIn.noMail.lead}</p>
          <p class="mono">{signIn.noMail.command({ email: known ?? "you@example.com" })}</p>
        </section>
      )}
    </>
  );
}

function ProviderLink({ visit, to }: { readonly visit: Visit; readonly to: string }) {
  const { provider, providerLacking } = visit.deps.config;
  const { provider: texts } = visit.texts.signIn;
  if (provider) {
    return (
      <a class="button" href={`/console/sign-in/provider?to=${encodeURIComponent(to)}`}>
        {texts.button({ name: provider.name })}
      </a>
    );
  }
  return providerLacking.length === 0 ? null : (
    <p class="note">{texts.lacking({ names: providerLacking.join(", ") })}</p>
  );
}

/** Outside production the pages show codes. */
const lacksMail = ({ deps }: Visit): boolean => deps.mailer === null && deps.config.isProduction;

const path = field(z.string().transform(localPath));

const requestCodeAction = publicAction({
  effect: "acts",
  path: "/sign-in",
  page: "/sign-in",
  body: () => z.object({ email, to: path }),
  run: async (visit, { email: address, to }, key) => {
    const { deps, browser, texts, now } = visit;
    // The same for every address, so that it shows nothing about accounts.
    if (lacksMail(visit)) throw new PageProblem("not_ready", texts.signIn.noMail.title);
    const { hash, proof, address: caller } = browser;
    const request = { browser: { hash, proof }, email: address, address: caller, invitation: invitationIn(to) };
    const next = `/console/sign-in/code?to=${encodeURIComponent(to)}&email=${encodeURIComponent(address)}`;
    const once = { key, operationId: "requestCode", body: { email: address, to } };
    const notice = await atMostOnceInBrowser(visit, once, async () => {
      const requested = await requestCode(deps, request, now);
      if (requested.kind === "too_many") throw new PageProblem("rate_limited", texts.signIn.tooMany);
      if (requested.kind === "issued") await sendCode(visit, address, requested.code);
      if (deps.config.isProduction) return "";
      const { signIn } = texts;
      return requested.kind === "issued"
        ? signIn.development({ code: requested.code })
        : signIn.notAdmitted({ email: address });
    });
    return notice ? { to: next, flash: { notice } } : { to: next };
  },
});

/** In the background: how long the page takes must not show whether an address has an account. */
async function sendCode({ deps, origin, texts, background }: Visit, to: string, code: string): Promise<void> {
  const { mailer } = deps;
  if (!mailer) return;
  const message = { to, subject: texts.signIn.mailSubject({ code }), text: texts.signIn.mailText({ code, origin }) };
  background(mailer.send(message).catch((error: unknown) => deps.log.error("mail_not_sent", error)));
}

const codePage = publicPage({
  path: "/sign-in/code",
  title: ({ signIn }) => signIn.codeTitle,
  load: async () => ({}),
  view: (_, visit) => {
    const { signIn } = visit.texts;
    const address = fieldValue(visit, "email", visit.query.email);
    const to = localPath(fieldValue(visit, "to", visit.query.to));
    return (
      <>
        <Heading title={signIn.codeTitle} lead={signIn.codeLead({ email: address.slice(0, 254) })} />
        <Notices visit={visit} />
        <Form visit={visit} action="/console/sign-in/code">
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="email" value={address} />
          <TextField
            visit={visit}
            name="code"
            label={signIn.code}
            class="code"
            input={{
              inputmode: "numeric",
              autocomplete: "one-time-code",
              maxlength: 11,
              required: true,
              autofocus: true,
            }}
          />
          <button class="button first" type="submit">
            {signIn.codeSubmit}
          </button>
        </Form>
        <a class="plain" href={`/console/sign-in?to=${encodeURIComponent(to)}&again=1`}>
          {signIn.codeAgain}
        </a>
      </>
    );
  },
});

const redeemCodeAction = publicAction({
  effect: "sets",
  path: "/sign-in/code",
  page: "/sign-in/code",
  body: ({ signIn }) => {
    const digits = z.string().transform((text) => text.replace(/[\s-]/g, ""));
    return z.object({ code: field(digits.pipe(z.string().regex(CODE_SHAPE, signIn.codeInvalid))), to: path });
  },
  run: async (visit, { code, to }) => {
    const { deps, browser, texts, now } = visit;
    const redeemed = await redeemCode(deps, browser.hash, code, now);
    if (redeemed.kind === "over") throw new PageProblem("not_changeable", texts.signIn.codeOver);
    if (redeemed.kind === "wrong")
      throw new PageProblem("invalid_request", texts.signIn.codeWrong({ left: redeemed.attemptsLeft }));
    return signInAs(visit, redeemed.entered, to);
  },
});

const usePasskeyAction = publicAction({
  effect: "sets",
  path: "/sign-in/passkey",
  page: "/sign-in",
  body: (texts) => z.object({ answer: assertionField(texts.signIn.passkeyRefused), to: path }),
  run: async (visit, { answer, to }) => {
    const { deps, visitor, texts, now } = visit;
    const personId = await redeemPasskey(deps, placeOf(visit), answer, now);
    // A person who confirms who they are does not become another one, except to accept an invitation.
    const isOther = visitor !== null && visitor.person.id !== personId && invitationIn(to) === null;
    if (personId === null || isOther) throw new PageProblem("invalid_request", texts.signIn.passkeyRefused);
    return signIn(visit, personId, to);
  },
});

const linkPage = publicPage({
  path: "/sign-in/link/:secret",
  title: ({ signIn }) => signIn.link.title,
  load: async ({ deps, params, now }) => ({ link: await findLink(deps.directory, params.secret ?? "", now) }),
  view: ({ link }, visit) => {
    const { link: texts, submit } = visit.texts.signIn;
    if (!link) {
      return (
        <>
          <Heading mark="bad" title={texts.overTitle} lead={texts.overLead} />
          <div class="buttons">
            <a class="button first" href="/console/sign-in">
              {submit}
            </a>
          </div>
        </>
      );
    }
    return (
      <>
        <Heading title={texts.title} lead={texts.lead({ email: link.email })} />
        <Form visit={visit} action={`/console/sign-in/link/${visit.params.secret}`}>
          <button class="button first" type="submit">
            {texts.submit}
          </button>
        </Form>
      </>
    );
  },
});

/** A form, because programs that check links in messages open them, and would use the link. */
const redeemLinkAction = publicAction({
  effect: "sets",
  path: "/sign-in/link/:secret",
  page: "/sign-in/link/:secret",
  body: () => NoFields,
  run: async (visit) => {
    const redeemed = await redeemLink(visit.deps.directory, visit.params.secret ?? "", visit.now);
    if (!redeemed) throw new PageProblem("not_changeable", visit.texts.signIn.link.overTitle);
    const to = redeemed.projectId === null ? "/console" : `/console/projects/${redeemed.projectId}`;
    return signIn(visit, redeemed.personId, to);
  },
});

const signOutAction = publicAction({
  effect: "sets",
  path: "/sign-out",
  page: "",
  body: () => NoFields,
  run: async ({ deps, visitor }) => {
    if (visitor) await endSession(deps.directory, visitor.person.id, visitor.session.id);
    return { to: "/console/sign-in", session: null };
  },
});

export const SIGN_IN: readonly Entry[] = [
  startPage,
  signInPage,
  requestCodeAction,
  codePage,
  redeemCodeAction,
  usePasskeyAction,
  ...PROVIDER,
  linkPage,
  redeemLinkAction,
  signOutAction,
];
