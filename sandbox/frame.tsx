// What the sandbox's own pages for people have in common: the head with the way to all of them.

import type { SimulatedPlatform } from "./platform";

interface Top {
  platforms: readonly SimulatedPlatform[];
  only: string | undefined;
  /** Which page the list of platforms narrows down: `/`, `/messages` or `/ads`. */
  path: string;
}

export function Top({ platforms, only, path }: Top) {
  return (
    <header class="top">
      <div class="bar">
        <a class="home" href="/">
          <b>Belfry</b> sandbox
        </a>
        <a class="further first" href="/messages" aria-current={path === "/messages" ? "page" : undefined}>
          Messages
        </a>
        <a class="further" href="/ads" aria-current={path === "/ads" ? "page" : undefined}>
          Ads
        </a>
        <span class="badge">simulated</span>
      </div>
      <nav>
        <a href={path} aria-current={only === undefined ? "page" : undefined}>
          All
        </a>
        {platforms.map((platform) => (
          <a href={`${path}?platform=${platform.name}`} aria-current={only === platform.name ? "page" : undefined}>
            {platform.title}
          </a>
        ))}
        <a href="/_media/">Sample media</a>
        <a href="/_control/calls">Calls</a>
      </nav>
    </header>
  );
}

export const readable = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** The head, and cards on a column. */
export const FRAME_STYLE = `
body{background:#f3f4f6}
.top{position:sticky;top:0;z-index:1;background:#1f2937;color:#f9fafb}
.bar,.top nav{max-width:680px;margin:0 auto;padding:12px 16px;display:flex;align-items:center;gap:12px}
.home{text-decoration:none;font-size:18px;letter-spacing:-.01em;white-space:nowrap}
.further.first{margin-left:auto}
.further{padding:7px 2px 4px;text-decoration:none;font-size:14px;color:#d1d5db;border-bottom:3px solid transparent}
.further:hover{color:#fff}
.further[aria-current]{color:#fff;border-color:#f59e0b}
.top nav{padding:0 16px;gap:4px;overflow-x:auto;scrollbar-width:none}
.top nav a{padding:8px 12px;text-decoration:none;font-size:14px;color:#d1d5db;white-space:nowrap;border-bottom:3px solid transparent}
.top nav a:hover{color:#fff}
.top nav a[aria-current]{color:#fff;border-color:#f59e0b}
main{max-width:680px;margin:0 auto;padding:16px 12px 48px;display:flex;flex-direction:column;gap:16px}
.card,.empty{background:#fff;border-radius:16px;padding:16px;box-shadow:0 1px 3px rgba(17,24,39,.12);scroll-margin-top:100px}
.who{display:flex;gap:12px;align-items:center;margin-bottom:12px}
.mark{width:44px;height:44px;border-radius:50%;display:grid;place-items:center;color:#fff;font-weight:700;flex:none;
  background:#6b7280}
.mark.facebook{background:#0866ff}
.mark.instagram{background:#c13584}
.mark.youtube{background:#d60000}
.mark.linkedin{background:#0a66c2}
.mark.tiktok{background:#fe2c55}
.mark.threads,.mark.twitter{background:#0f1419}
.names{min-width:0}
.names h2{font-size:16px;line-height:1.3;overflow-wrap:anywhere}
.names p,time,.link{color:#6b7280;font-size:13px}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin-bottom:12px}
.empty{padding:32px 24px;display:flex;flex-direction:column;gap:12px}
.more{text-align:center;color:#6b7280;font-size:14px}
@media (min-width:640px){.home{font-size:20px}.top nav{gap:0}.top nav a{padding:8px 6px}main{padding:24px 16px 64px}.card{padding:20px}}
`;
