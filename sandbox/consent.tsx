// The consent page of every platform: one component and one form handler, with data for each platform.

import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { page } from "./page";
import type { PlatformBindings } from "./platform";

export interface Brand {
  readonly name: string;
  /** Replaces the name in the top bar. */
  readonly logo?: string;
  readonly accent: string;
  readonly background: string;
  /** CSS declarations for the top bar. */
  readonly header: string;
}

/** A valid query of the authorization URL. */
export interface ConsentRequest {
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly string[];
}

interface Account {
  readonly value: string;
  readonly label: string;
  readonly about: string;
}

interface ConsentView {
  readonly heading: string;
  readonly lead?: string;
  readonly accounts: {
    readonly legend: string;
    readonly kind: "checkbox" | "radio";
    readonly choices: readonly Account[];
  };
  readonly scopes?: {
    readonly title?: string;
    /** If false, the page only lists the scopes. */
    readonly canUntick: boolean;
    readonly offered: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly allow: string;
  /** Completes "Nothing here is real: … in this sandbox only." */
  readonly fiction: string;
}

/** What the user chose on the page. */
interface Consent {
  readonly accounts: readonly string[];
  /** The requested scopes that the user left ticked. */
  readonly scopes: readonly string[];
}

interface Dialog<Request extends ConsentRequest> {
  readonly brand: Brand;
  /** The name of the account field in the form. */
  readonly accountField: string;
  readonly read: (query: Readonly<Record<string, string>>) => Request | Response;
  readonly view: (request: Request) => ConsentView;
  /** Query parameters of the redirect after "Cancel". `state` is added to these and to those of `grant`. */
  readonly denied: Readonly<Record<string, string>>;
  /** URL fragment of the redirect after a grant. */
  readonly fragment?: string | undefined;
  readonly grant: (request: Request, consent: Consent) => Readonly<Record<string, string>> | Response;
}

export function consentRoutes<Request extends ConsentRequest>(paths: string[], dialog: Dialog<Request>) {
  const app = new Hono<{ Bindings: PlatformBindings }>();

  app.on("GET", paths, (c) => {
    const query = c.req.query();
    const request = dialog.read(query);
    return request instanceof Response ? request : consentPage(dialog, request, query);
  });

  app.on("POST", paths, async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const request = dialog.read(sentQuery(form));
    if (request instanceof Response) return request;
    const ticked = form.getAll("scope").map(String);
    const consent = {
      accounts: form.getAll(dialog.accountField).map(String),
      scopes: request.scopes.filter((scope) => ticked.includes(scope)),
    };
    const isAllowed = form.get("decision") === "allow";
    const answer = isAllowed ? dialog.grant(request, consent) : dialog.denied;
    if (answer instanceof Response) return answer;
    const state = request.state === undefined ? {} : { state: request.state };
    const target = isAllowed && dialog.fragment ? `${request.redirectUri}#${dialog.fragment}` : request.redirectUri;
    return redirectBack(target, { ...answer, ...state });
  });
  return app;
}

/** The distinct scopes of a query. */
export const scopesIn = (query: Readonly<Record<string, string>>, separator: string | RegExp): string[] => [
  ...new Set((query.scope ?? "").split(separator).filter(Boolean)),
];

/** Shows an error page instead of a redirect: the redirect address is not verified yet. */
export function consentRefused(brand: Brand, title: string, detail: string): Response {
  const body = (
    <section class="refused">
      <h1>{title}</h1>
      <p>{detail}</p>
    </section>
  );
  return brandedPage(brand, title, body, 400);
}

export function redirectBack(redirectUri: string, params: Readonly<Record<string, string>>): Response {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return new Response(null, {
    status: 302,
    headers: { location: url.href, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
}

/** The authorization query, as the form's hidden fields carry it. */
function sentQuery(form: FormData): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of form) {
    if (name.startsWith("query.") && typeof value === "string") query[name.slice("query.".length)] = value;
  }
  return query;
}

function consentPage<Request extends ConsentRequest>(
  dialog: Dialog<Request>,
  request: Request,
  query: Record<string, string>,
): Response {
  const { heading, lead, accounts, scopes, allow, fiction } = dialog.view(request);
  const body = (
    <form method="post">
      {Object.entries(query).map(([name, value]) => (
        <input type="hidden" name={`query.${name}`} value={value} />
      ))}
      <h1>{heading}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      <Choices
        legend={accounts.legend}
        kind={accounts.kind}
        name={dialog.accountField}
        choices={accounts.choices.map((choice) => ({ ...choice, initials: initials(choice.label) }))}
      />
      {scopes === undefined ? null : <Scopes {...scopes} />}
      <p class="note">
        Nothing here is real: {fiction} in this sandbox only. You go back to{" "}
        <code>{new URL(request.redirectUri).origin}</code>.
      </p>
      <div class="buttons">
        <button class="primary" type="submit" name="decision" value="allow">
          {allow}
        </button>
        <button type="submit" name="decision" value="deny">
          Cancel
        </button>
      </div>
    </form>
  );
  return brandedPage(dialog.brand, "allow Belfry?", body);
}

function brandedPage(brand: Brand, title: string, content: Child, status = 200): Response {
  const body = (
    <main>
      <header>
        <span class="logo">{brand.logo ?? brand.name}</span>
        <span class="badge">simulated</span>
      </header>
      {content}
    </main>
  );
  return page({ title: `${brand.name} (simulated): ${title}`, style: styleOf(brand), body, status });
}

function Scopes({ title = "", canUntick, offered, labels }: NonNullable<ConsentView["scopes"]>) {
  const choices = offered.map((scope) => ({
    value: scope,
    label: labels[scope] ?? scope,
    about: scope.replace(/^https:.*\//, ""),
  }));
  if (choices.length === 0) return null;
  if (canUntick) return <Choices legend={title} kind="checkbox" name="scope" choices={choices} />;
  return (
    <>
      {title === "" ? null : <p class="lead">{title}</p>}
      <ul class="scopes">
        {choices.map(({ label, about }) => (
          <li>
            <span class="what">
              <span>{label}</span>
              <span class="about">{about}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ChoiceList {
  legend: string;
  kind: "checkbox" | "radio";
  name: string;
  choices: readonly (Account & { readonly initials?: string })[];
}

/** All checkboxes are ticked by default; of radio buttons, the first one is selected. */
function Choices({ legend, kind, name, choices }: ChoiceList) {
  return (
    <fieldset>
      <legend>
        <span class="legend">{legend}</span>
      </legend>
      {choices.map((choice, index) => (
        <label class="choice">
          {choice.initials === undefined ? null : (
            <span class="avatar" aria-hidden="true">
              {choice.initials}
            </span>
          )}
          <span class="what">
            <span class="label">{choice.label}</span>
            <span class="about">{choice.about}</span>
          </span>
          <input type={kind} name={name} value={choice.value} checked={kind === "checkbox" || index === 0} />
        </label>
      ))}
    </fieldset>
  );
}

function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return letters.slice(0, 2).join("").toUpperCase();
}

const styleOf = (brand: Brand) => `
body{background:${brand.background};min-height:100vh}

main{max-width:560px;margin:0 auto;background:var(--card);min-height:100vh;display:flex;flex-direction:column}
header{display:flex;align-items:center;gap:12px;padding:14px 20px;${brand.header}}
header .badge{margin-left:auto}
.logo{font-weight:800;letter-spacing:-.02em;font-size:24px;line-height:1}
form,.refused{padding:24px 20px 0;display:flex;flex-direction:column;gap:20px;flex:1}
.refused{padding-bottom:32px;gap:10px}
h1{font-size:22px;line-height:1.3;letter-spacing:-.01em}
.lead{color:var(--soft)}
fieldset{border:1px solid var(--line);border-radius:14px;overflow:hidden}
legend{display:contents}
.legend{display:block;padding:12px 16px;font-size:13px;font-weight:600;color:var(--soft);background:var(--fill);
  border-bottom:1px solid var(--line)}
.choice{display:flex;align-items:center;gap:12px;padding:11px 16px;cursor:pointer;min-height:56px}
.choice+.choice{border-top:1px solid var(--line)}
.choice:hover{background:var(--fill)}
.choice input{width:20px;height:20px;accent-color:${brand.accent};flex:none;margin:0}
.what{display:flex;flex-direction:column;flex:1;min-width:0}
.label{font-weight:600;overflow-wrap:anywhere}
.about{font-size:14px;color:var(--soft);overflow-wrap:anywhere}
.avatar{width:40px;height:40px;border-radius:50%;display:grid;place-items:center;flex:none;font-weight:700;font-size:14px;
  background:${brand.accent};color:#fff}
.scopes{display:flex;flex-direction:column;gap:8px}
.scopes li{display:flex;gap:10px}
.scopes li::before{content:"✓";font-weight:700;color:${brand.accent}}
.note{font-size:13px;color:var(--soft)}
.note code{overflow-wrap:anywhere}
.buttons{display:flex;flex-direction:column;gap:10px;position:sticky;bottom:0;background:var(--card);padding:14px 0 20px;
  border-top:1px solid var(--line);margin-top:auto}
button{min-height:48px;border-radius:12px;border:1px solid var(--line);background:var(--card);font-weight:600;cursor:pointer}
button:hover{background:var(--fill)}
.primary{background:${brand.accent};border-color:${brand.accent};color:#fff}
.primary:hover{background:${brand.accent};filter:brightness(.93)}
@media (prefers-color-scheme:dark){
  body{background:var(--paper)}
  .primary{border-color:var(--line)}
  .scopes li::before{color:color-mix(in srgb,${brand.accent} 45%,var(--ink))}
}
@media (min-width:640px){
  main{margin:40px auto;min-height:0;border-radius:18px;overflow:hidden;box-shadow:0 10px 40px rgba(27,31,36,.14)}
  form,.refused{padding:28px 32px 0}
  .refused{padding-bottom:40px}
  header{padding:16px 32px}
  .buttons{flex-direction:row;position:static;padding-bottom:28px}
  .buttons button{flex:1}
}
`;
