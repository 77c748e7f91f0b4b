import { html, raw } from "hono/html";
import type { Child } from "hono/jsx";
import { listWords } from "../core/text.ts";
import { PLATFORM_FACTS, platformTitle } from "../platforms/facts.ts";
import { GRANT_PURPOSES, type PlatformName } from "../platforms/names.ts";
import { findLogin } from "./logins.ts";
import { CONNECT_STYLE } from "./style.ts";
import type { ConnectedChannel } from "./table.ts";

/** The frame of the hosted pages and their shared parts. JSX escapes all texts of people and platforms. */
interface Page {
  readonly title: string;
  readonly nonce: string;
  readonly isTest: boolean;
  readonly children: Child;
}

export function document({ title, nonce, isTest, children }: Page) {
  return html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title} · Belfry</title>
        <link rel="icon" href="data:," />
        <style nonce={nonce}>{raw(CONNECT_STYLE)}</style>
      </head>
      <body>
        <header>
          {isTest && <p class="test">Test project: simulated platforms</p>}
          <p class="brand">
            <Bell />
            Belfry
          </p>
        </header>
        <main>{children}</main>
        <footer class="small">Belfry never sees your passwords.</footer>
      </body>
    </html>
  )}`;
}

function Bell() {
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

/** The target of a session's forms, and the hidden field that proves a form. */
export interface FormTarget {
  readonly action: string;
  readonly proof: string;
}

export function Proof({ form }: { readonly form: FormTarget }) {
  return <input type="hidden" name="form" value={form.proof} />;
}

export function Badge({ platform }: { readonly platform: PlatformName }) {
  return (
    <span class={`avatar ${platform}`} aria-hidden="true">
      {PLATFORM_FACTS[platform].sign}
    </span>
  );
}

export function Connected({ channels }: { readonly channels: readonly ConnectedChannel[] }) {
  return (
    <ul class="list" aria-label="Connected">
      {channels.map((channel) => (
        <li class="row">
          <Badge platform={channel.platform} />
          <span class="what">
            <span class="name">{channel.name}</span>
            <span class="about">{loginsConnected(channel)}</span>
          </span>
          <span class="tick" role="img" aria-label="connected">
            ✓
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The platform with its additional logins: "TikTok, with comments and ads". */
function loginsConnected({ platform, further = {} }: ConnectedChannel): string {
  const titles = GRANT_PURPOSES.filter((purpose) => further[purpose]).flatMap(
    (purpose) => findLogin(`${platform}:${purpose}`)?.further?.title ?? [],
  );
  const title = platformTitle(platform);
  return titles.length === 0 ? title : `${title}, with ${listWords(titles)}`;
}

export function ReturnLink({ href, text }: { readonly href: string | null; readonly text: string }) {
  return href === null ? null : (
    <a class="plain" href={href} rel="noreferrer">
      {text}
    </a>
  );
}
