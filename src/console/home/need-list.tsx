import type { Child } from "hono/jsx";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import type { PlatformName } from "../../platforms/names.ts";

/** How the home page lists what needs a person. */

interface Section {
  readonly title: string;
  readonly lead?: string;
  readonly items: readonly Child[];
  /** Where all of them are listed, if only the first are shown. */
  readonly more?: { readonly href: string; readonly text: string } | null;
}

/** Null if nothing of this kind needs attention. */
export function section({ title, lead, items, more = null }: Section): Child | null {
  if (items.length === 0) return null;
  return (
    <section class="needs" aria-label={title}>
      <div>
        <h2>{title}</h2>
        {lead !== undefined && <p class="hint">{lead}</p>}
      </div>
      <ul class="card flush items">{items}</ul>
      {more && <a href={more.href}>{more.text}</a>}
    </section>
  );
}

interface Item {
  readonly platform?: PlatformName;
  readonly name: string;
  readonly href: string;
  readonly about?: Child;
  readonly mark?: Child;
  readonly why: Child | null;
  readonly todo?: string | undefined;
  readonly children?: Child;
}

export function NeedItem({ platform, name, href, about, mark, why, todo, children }: Item) {
  return (
    <li class="need">
      {platform && <PlatformBadge platform={platform} />}
      <div class="what">
        <span class="line">
          <a class="name" href={href}>
            {name}
          </a>
          {mark}
        </span>
        {about && <span class="facts">{about}</span>}
        {why !== null && <p>{why}</p>}
        {todo !== undefined && <p class="about">{todo}</p>}
        {children}
      </div>
    </li>
  );
}

export function OpenButton({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <div class="buttons">
      <a class="button small" href={href}>
        {text}
      </a>
    </div>
  );
}
