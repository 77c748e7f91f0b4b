import type { Child } from "hono/jsx";
import { listWords } from "../core/text.ts";
import { Bell, htmlDocument } from "../pages/layout.tsx";
import { PlatformBadge } from "../pages/platform-badge.tsx";
import { platformTitle } from "../platforms/facts.ts";
import { GRANT_PURPOSES } from "../platforms/names.ts";
import { findLogin } from "./logins.ts";
import { CONNECT_STYLE } from "./style.ts";
import type { ConnectedChannel } from "./table.ts";

/** The frame of the hosted pages and their shared parts. */
interface Page {
  readonly title: string;
  readonly nonce: string;
  readonly isTest: boolean;
  readonly children: Child;
}

export function document({ title, nonce, isTest, children }: Page) {
  return htmlDocument({
    title,
    nonce,
    style: CONNECT_STYLE,
    children: (
      <>
        <header>
          {isTest && <p class="test">Test project: simulated platforms</p>}
          <p class="brand">
            <Bell />
            Belfry
          </p>
        </header>
        <main>{children}</main>
        <footer class="small">Belfry never sees your passwords.</footer>
      </>
    ),
  });
}

/** The target of a session's forms, and the hidden field that proves a form. */
export interface FormTarget {
  readonly action: string;
  readonly proof: string;
}

export function Connected({ channels }: { readonly channels: readonly ConnectedChannel[] }) {
  return (
    <ul class="list" aria-label="Connected">
      {channels.map((channel) => (
        <li class="row">
          <PlatformBadge platform={channel.platform} />
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
