import { html, raw } from "hono/html";
import type { Child } from "hono/jsx";
import { BASE_STYLE } from "./style.ts";

/** The frame of every page, and parts that pages share. JSX escapes all texts of people and platforms. */
interface Document {
  readonly title: string;
  readonly language?: string;
  /** Whose page it is, in its title. */
  readonly site?: string | undefined;
  readonly nonce: string;
  /** Rules beside the shared ones. */
  readonly style: string;
  /** A few lines that run on the page; the page works without them. */
  readonly script?: string | undefined;
  readonly children: Child;
}

export function htmlDocument({ title, language = "en", site = "Belfry", nonce, style, script, children }: Document) {
  return html`<!doctype html>${(
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>
          {title} · {site}
        </title>
        <link rel="icon" href="data:," />
        <style nonce={nonce}>
          {raw(inOneLine(BASE_STYLE))}
          {raw(inOneLine(style))}
        </style>
      </head>
      <body>
        {children}
        {script !== undefined && <script nonce={nonce}>{raw(script)}</script>}
      </body>
    </html>
  )}`;
}

/** Rules end with a brace or a semicolon, so their line breaks have no meaning. */
const inOneLine = (style: string): string => style.replace(/\n\s*/g, "");

export function Bell() {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linejoin="round"
    >
      <path d="M12 3C8.4 3 6.4 5.6 6.4 9.2c0 4.3-1.2 6-2.4 7.3h16c-1.2-1.3-2.4-3-2.4-7.3C17.6 5.6 15.6 3 12 3z" />
      <path d="M9.8 19.5a2.3 2.3 0 0 0 4.4 0" stroke-linecap="round" />
    </svg>
  );
}

export interface Heading {
  readonly title: string;
  readonly lead: Child;
  readonly mark?: "good" | "bad" | "calm";
}

const MARKS = { good: "✓", bad: "!", calm: "i" } as const;

export function Heading({ title, lead, mark }: Heading) {
  return (
    <div class="head">
      {mark && (
        <span class={`mark ${mark}`} aria-hidden="true">
          {MARKS[mark]}
        </span>
      )}
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
    </div>
  );
}

/** The hidden field that proves that a form comes from our own page (form-proof.ts). */
export function Proof({ proof }: { readonly proof: string }) {
  return <input type="hidden" name="form" value={proof} />;
}
