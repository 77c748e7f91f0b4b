import type { Child } from "hono/jsx";
import { BrandName, brandStyle, SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { LanguageChoice } from "../pages/language-choice.tsx";
import { htmlDocument } from "../pages/layout.tsx";
import { PlatformBadge } from "../pages/platform-badge.tsx";
import { platformTitle } from "../platforms/facts.ts";
import { GRANT_PURPOSES } from "../platforms/names.ts";
import { findLogin } from "./logins.ts";
import { CONNECT_STYLE } from "./style.ts";
import type { ConnectedChannel } from "./table.ts";
import { listIn, phraseIn, type Wording } from "./wording.tsx";

/** The frame of the hosted pages and their shared parts. */
interface Page {
  readonly title: string;
  readonly nonce: string;
  readonly isTest: boolean;
  /** Null: a page of no project that we know. */
  readonly brand: Brand | null;
  readonly wording: Wording;
  /** The address that opens this page, or the beginning of its session; null without either. */
  readonly address: string | null;
  readonly children: Child;
}

export function document({ title, nonce, isTest, brand, wording: { code, texts }, address, children }: Page) {
  return htmlDocument({
    title,
    language: code,
    nonce,
    site: brand?.hasOwnName ? brand.name : undefined,
    style: `${CONNECT_STYLE}${brandStyle(brand)}`,
    children: (
      <>
        <header>
          {isTest && <p class="test">{texts.test}</p>}
          <BrandName brand={brand} />
        </header>
        <main>{children}</main>
        <footer class="small">
          {brand?.support && (
            <p>
              {texts.questions} <SupportLink support={brand.support} />
            </p>
          )}
          <p>{texts.promise({ name: brand?.hasOwnName ? brand.name : null })}</p>
          {address !== null && <LanguageChoice label={texts.language} current={code} address={address} />}
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

interface Connected {
  readonly channels: readonly ConnectedChannel[];
  readonly wording: Wording;
}

export function Connected({ channels, wording }: Connected) {
  const { texts } = wording;
  return (
    <ul class="list" aria-label={texts.connectedList}>
      {channels.map((channel) => (
        <li class="row">
          <PlatformBadge platform={channel.platform} />
          <span class="what">
            <span class="name">{channel.name}</span>
            <span class="about">{loginsConnected(channel, wording)}</span>
          </span>
          <span class="tick" role="img" aria-label={texts.connectedMark}>
            ✓
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The platform with its additional logins: "TikTok, with comments and ads". */
function loginsConnected({ platform, further = {} }: ConnectedChannel, wording: Wording): string {
  const { texts } = wording;
  const titles = GRANT_PURPOSES.filter((purpose) => further[purpose]).flatMap((purpose) => {
    const known = findLogin(`${platform}:${purpose}`)?.further?.title;
    return known === undefined ? [] : [phraseIn(texts, known) ?? known];
  });
  const title = platformTitle(platform);
  return titles.length === 0 ? title : texts.connectedWith({ platform: title, what: listIn(wording, titles) });
}

interface ReturnLink {
  readonly href: string | null;
  readonly brand: Brand;
  readonly wording: Wording;
  /** Unless the project has its own label. */
  readonly text?: string;
  readonly isFirst?: boolean;
}

/** Back to the app; nothing if no address is known. */
export function ReturnLink({ href, brand, wording, text, isFirst = false }: ReturnLink) {
  return href === null ? null : (
    <a class={isFirst ? "button first" : "plain"} href={href} rel="noreferrer">
      {text === undefined || brand.returnLabel !== null ? returnText(brand, wording) : text}
    </a>
  );
}

export const returnText = ({ returnLabel }: Brand, { texts }: Wording): string => returnLabel ?? texts.back;
