import type { Child } from "hono/jsx";
import { BrandName, brandStyle, SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { listWords } from "../core/text.ts";
import { htmlDocument } from "../pages/layout.tsx";
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
  /** Null: a page of no project that we know. */
  readonly brand: Brand | null;
  readonly children: Child;
}

export function document({ title, nonce, isTest, brand, children }: Page) {
  const name = brand?.hasOwnName ? `${brand.name} and Belfry never see` : "Belfry never sees";
  return htmlDocument({
    title,
    nonce,
    site: brand?.hasOwnName ? brand.name : undefined,
    style: `${CONNECT_STYLE}${brandStyle(brand)}`,
    children: (
      <>
        <header>
          {isTest && <p class="test">Test project: simulated platforms</p>}
          <BrandName brand={brand} />
        </header>
        <main>{children}</main>
        <footer class="small">
          {brand?.support && (
            <p>
              Questions? <SupportLink support={brand.support} />
            </p>
          )}
          <p>{name} your passwords.</p>
        </footer>
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

interface ReturnLink {
  readonly href: string | null;
  readonly brand: Brand;
  /** Unless the project has its own label. */
  readonly text?: string;
  readonly isFirst?: boolean;
}

/** Back to the app; nothing if no address is known. */
export function ReturnLink({ href, brand, text, isFirst = false }: ReturnLink) {
  return href === null ? null : (
    <a class={isFirst ? "button first" : "plain"} href={href} rel="noreferrer">
      {text === undefined || brand.returnLabel !== null ? returnText(brand) : text}
    </a>
  );
}

export const returnText = ({ returnLabel }: Brand): string => returnLabel ?? "Back to the app";
