// The layout of every sandbox page: no scripts, one inline style sheet, and a strict content security policy.

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { randomText } from "./random";

interface Page {
  title: string;
  style: string;
  body: Child;
  status?: number;
  /** Consent pages leave this policy open, because their forms redirect to the caller's address. */
  formAction?: string;
}

export function page({ title, style, body, status, formAction }: Page): Response {
  const nonce = randomText(22);
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' http: https: data:",
    "media-src 'self' http: https:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(formAction === undefined ? [] : [`form-action ${formAction}`]),
  ];
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style nonce={nonce}>{raw(BASE + style)}</style>
      </head>
      <body>{body}</body>
    </html>
  );
  return new Response(`<!doctype html>${html}`, {
    status: status ?? 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
  });
}

const BASE = `
:root{color-scheme:light dark;--paper:#f3f4f6;--card:#fff;--ink:#1b1f24;--soft:#565c68;--line:#d1d5db;--fill:#f3f4f6;--link:#0b4fae;
  --badge:#fde68a;--badge-ink:#713f12;--good:#d1fae5;--good-ink:#065f46;--bad:#fee2e2;--bad-ink:#991b1b;--bubble:#dbeafe}
@media (prefers-color-scheme:dark){:root{--paper:#101318;--card:#1b2028;--ink:#eef1f5;--soft:#a7afbc;--line:#3b4351;--fill:#262d38;--link:#8ab8ff;
  --badge:#574313;--badge-ink:#fde68a;--good:#0f3d2c;--good-ink:#a7f3d0;--bad:#4a1d1f;--bad-ink:#fecaca;--bubble:#1e3a5f}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--paper)}
h1,h2,h3,p,ul,fieldset,figure{margin:0;padding:0;border:0;min-width:0}
ul{list-style:none}
button,input,textarea{font:inherit;color:inherit}
a{color:inherit}
:focus-visible{outline:3px solid #f59e0b;outline-offset:2px}
.badge{display:inline-block;padding:2px 10px;border-radius:99px;background:var(--badge);color:var(--badge-ink);font-size:12px;
  font-weight:600;letter-spacing:.02em}
`;
