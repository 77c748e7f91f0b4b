import { Bell } from "../pages/layout.tsx";
import { brandRules } from "./colors.ts";
import type { Brand } from "./store.ts";

/** What a brand changes on a page: the name on top, the colour, and where to get help. */

/** Null: a page of no project that we know. */
interface Branded {
  readonly brand: Pick<Brand, "name" | "hasOwnName" | "logo"> | null;
}

export function BrandName({ brand }: Branded) {
  return (
    <p class="brand">
      {brand?.logo ? <img src={brand.logo} alt="" /> : brand?.hasOwnName ? null : <Bell />}
      {brand?.hasOwnName ? brand.name : "Belfry"}
    </p>
  );
}

/** Rules that follow those of the page. */
export function brandStyle(brand: Pick<Brand, "color"> | null): string {
  if (!brand?.color) return "";
  const { light, dark } = brandRules(brand.color);
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`;
}

/** The support address as a link. */
export function SupportLink({ support }: { readonly support: string }) {
  const isAddress = support.startsWith("https://");
  return (
    <a href={isAddress ? support : `mailto:${support}`} rel="noreferrer">
      {isAddress ? new URL(support).host : support}
    </a>
  );
}
