// What the consent pages of all platforms share: their frame, the choices, the two buttons, and refusing to
// begin.

import type { Child } from "hono/jsx";
import { page } from "./page";

export interface Brand {
  /** How people call the platform. */
  name: string;
  logo: Child;
  accent: string;
  accentText: string;
  background: string;
  /** Declarations for the bar on top. */
  header: string;
}

interface Choice {
  name: string;
  value: string;
  kind: "checkbox" | "radio";
  label: string;
  about: string;
  checked: boolean;
  /** One or two letters in place of a picture. */
  initials?: string;
}

export function ChoiceRow(choice: Choice) {
  return (
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
      <input type={choice.kind} name={choice.name} value={choice.value} checked={choice.checked} />
    </label>
  );
}

interface Consent {
  brand: Brand;
  heading: Child;
  /** The query of the authorize address, which the form sends along unchanged. */
  query: Record<string, string>;
  children: Child;
  allow: string;
  note: Child;
}

export function consentPage({ brand, heading, query, children, allow, note }: Consent): Response {
  const body = (
    <main>
      <header>
        {brand.logo}
        <span class="badge">simulated</span>
      </header>
      <form method="post">
        {Object.entries(query).map(([name, value]) => (
          <input type="hidden" name={`query.${name}`} value={value} />
        ))}
        <h1>{heading}</h1>
        {children}
        <p class="note">{note}</p>
        <div class="buttons">
          <button class="primary" type="submit" name="decision" value="allow">
            {allow}
          </button>
          <button type="submit" name="decision" value="deny">
            Cancel
          </button>
        </div>
      </form>
    </main>
  );
  return page({ title: `${brand.name} (simulated): allow Belfry?`, style: styleOf(brand), body });
}

/**
 * The platform's own page when a connection cannot even begin; it never redirects, as it trusts no address
 * yet.
 */
export function consentRefused(brand: Brand, title: string, detail: string): Response {
  const body = (
    <main>
      <header>
        {brand.logo}
        <span class="badge">simulated</span>
      </header>
      <section class="refused">
        <h1>{title}</h1>
        <p>{detail}</p>
      </section>
    </main>
  );
  return page({ title: `${brand.name} (simulated): ${title}`, style: styleOf(brand), body, status: 400 });
}

/** The query as it came, from a POST of the consent form. */
export function sentQuery(form: FormData): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of form) {
    if (name.startsWith("query.") && typeof value === "string") query[name.slice("query.".length)] = value;
  }
  return query;
}

export function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return letters.slice(0, 2).join("").toUpperCase();
}

export function redirectBack(redirectUri: string, params: Record<string, string>): Response {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return new Response(null, {
    status: 302,
    headers: { location: url.href, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
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
  background:${brand.accent};color:${brand.accentText}}
.scopes{display:flex;flex-direction:column;gap:8px}
.scopes li{display:flex;gap:10px}
.scopes li::before{content:"✓";font-weight:700;color:${brand.accent}}
.note{font-size:13px;color:var(--soft)}
.note code{overflow-wrap:anywhere}
.buttons{display:flex;flex-direction:column;gap:10px;position:sticky;bottom:0;background:var(--card);padding:14px 0 20px;
  border-top:1px solid var(--line);margin-top:auto}
button{min-height:48px;border-radius:12px;border:1px solid var(--line);background:var(--card);font-weight:600;cursor:pointer}
button:hover{background:var(--fill)}
.primary{background:${brand.accent};border-color:${brand.accent};color:${brand.accentText}}
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
