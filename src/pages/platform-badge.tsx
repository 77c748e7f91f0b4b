import { factsOf, PLATFORM_FACTS } from "../platforms/facts.ts";
import type { PlatformName } from "../platforms/names.ts";

/** The sign of a platform on its colour. Its name stands beside it. */
export function PlatformBadge({ platform }: { readonly platform: PlatformName }) {
  return (
    <span class={`avatar ${platform}`} aria-hidden="true">
      {factsOf(platform).sign}
    </span>
  );
}

/** A ring around each sign: dark ones would be lost on a dark page. */
const COLORS = Object.entries(PLATFORM_FACTS)
  .map(([name, { color }]) => `.avatar.${name}{background:${color};color:#fff;box-shadow:0 0 0 1px var(--line)}`)
  .join("\n");

export const BADGE_STYLE = `
.avatar{display:grid;place-items:center;width:40px;height:40px;border-radius:12px;flex:none;overflow:hidden;background:var(--fill);
  font-weight:700;font-size:20px;line-height:1;color:var(--soft)}
${COLORS}
`;
