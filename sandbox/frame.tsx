// The frame of the sandbox's own pages: a header with links to all of them.

import type { SimulatedPlatform } from "./platform";

interface Top {
  /** The page's heading. */
  title: string;
  /** Empty if the page has no platform filter. */
  platforms: readonly SimulatedPlatform[];
  only: string | undefined;
  /** Path of the page that the platform filter applies to: `/`, `/messages` or `/ads`. */
  path: string;
}

const PAGES = [
  { href: "/", name: "Feed" },
  { href: "/messages", name: "Messages" },
  { href: "/ads", name: "Ads" },
  { href: "/_media/", name: "Sample media" },
  { href: "/_control/calls", name: "Calls (JSON)" },
] as const;

export function Top({ title, platforms, only, path }: Top) {
  return (
    <header class="top">
      <div class="bar">
        <a class="home" href="/">
          <b>Belfry</b> sandbox
        </a>
        <span class="badge">simulated</span>
      </div>
      <nav class="pages" aria-label="Pages">
        {PAGES.map(({ href, name }) => (
          <a href={href} aria-current={path === href ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <h1>{title}</h1>
      {platforms.length === 0 ? null : (
        <nav class="platforms" aria-label="Platforms">
          <a href={path} aria-current={only === undefined ? "page" : undefined}>
            All
          </a>
          {platforms.map((platform) => (
            <a href={`${path}?platform=${platform.name}`} aria-current={only === platform.name ? "page" : undefined}>
              {platform.title}
            </a>
          ))}
        </nav>
      )}
    </header>
  );
}

export const readable = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** Header, and cards in a column. Tabs wrap, because users miss tabs that scroll sideways. */
export const FRAME_STYLE = `
.top{background:#1f2937;color:#f9fafb}
.top>*{max-width:680px;margin:0 auto;padding:0 16px}
.bar{display:flex;align-items:center;justify-content:space-between;gap:12px;padding-top:12px}
.home{text-decoration:none;font-size:18px;letter-spacing:-.01em;white-space:nowrap}
.top h1{padding-top:10px;font-size:24px;line-height:1.25;letter-spacing:-.01em}
.top nav{display:flex;flex-wrap:wrap;gap:2px 4px;padding:4px 6px}
.top nav a{display:flex;align-items:center;min-height:44px;padding:0 10px;text-decoration:none;font-size:14px;color:#d1d5db;
  white-space:nowrap;border-bottom:3px solid transparent}
.top nav a:hover{color:#fff}
.top nav a[aria-current]{color:#fff;font-weight:600;border-color:#f59e0b}
main{max-width:680px;margin:0 auto;padding:16px 12px 48px;display:flex;flex-direction:column;gap:16px}
.card,.empty{background:var(--card);border-radius:16px;padding:16px;box-shadow:0 1px 3px rgba(17,24,39,.12);scroll-margin-top:16px}
.card a,.empty a,.more a{color:var(--link)}
.who{display:flex;gap:12px;align-items:center;margin-bottom:12px}
.mark{width:44px;height:44px;border-radius:50%;display:grid;place-items:center;color:#fff;font-weight:700;flex:none;
  background:#6b7280}
.mark.facebook{background:#0866ff}
.mark.instagram{background:#c13584}
.mark.youtube{background:#d60000}
.mark.linkedin{background:#0a66c2}
.mark.tiktok{background:#d8123f}
.mark.threads,.mark.twitter{background:#0f1419;box-shadow:0 0 0 1px var(--line)}
.names{min-width:0}
.names h2{font-size:16px;line-height:1.3;overflow-wrap:anywhere}
.names p,time,.link{color:var(--soft);font-size:13px}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin-bottom:12px}
.empty h2{font-size:18px}
.empty{padding:32px 24px;display:flex;flex-direction:column;gap:12px}
.more{text-align:center;color:var(--soft);font-size:14px}
@media (min-width:640px){.home{font-size:20px}main{padding:24px 16px 64px}.card{padding:20px}}
`;
