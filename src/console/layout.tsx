import type { Child } from "hono/jsx";
import { BrandName, brandStyle, SupportLink } from "../branding/brand-parts.tsx";
import type { Brand } from "../branding/store.ts";
import { LanguageChoice } from "../pages/language-choice.tsx";
import { Bell, Heading, htmlDocument } from "../pages/layout.tsx";
import { includesRole } from "../people/roles.ts";
import type { PageEntry, ProjectVisit, Visit } from "./definition.ts";
import { Icon, type IconName } from "./icons.tsx";
import { COPY_SCRIPT, Form } from "./parts.tsx";
import { CONSOLE_STYLE } from "./style.ts";
import { isOperator } from "./visit.ts";

/** The frame of the console: the menu for people who are signed in, one card for everyone else. */

export const projectPath = (id: number): string => `/console/projects/${id}`;

interface Frame {
  readonly visit: Visit;
  /** The project of the page, with the visit's role in it. */
  readonly current: Pick<ProjectVisit, "project" | "role"> | null;
  /** Pages of a project that the menu shows. */
  readonly menu: readonly PageEntry[];
  /** The path of this page. */
  readonly path: string;
  /** The address that opens this page again; null after a form. */
  readonly address: string | null;
  readonly title: string;
  /** Present on pages for the users of a project, which have no menu. */
  readonly brand?: Brand | null | undefined;
  readonly children: Child;
}

export function consoleDocument(frame: Frame) {
  const { visit, title, brand } = frame;
  const isForUsers = brand !== undefined;
  return htmlDocument({
    title,
    language: visit.language,
    nonce: visit.nonce,
    site: brand?.hasOwnName ? brand.name : undefined,
    style: isForUsers ? `${CONSOLE_STYLE}${brandStyle(brand)}` : CONSOLE_STYLE,
    script: COPY_SCRIPT,
    children: visit.visitor && !isForUsers ? <Shell {...frame} /> : <Gate {...frame} />,
  });
}

function Gate({ visit, address, brand = null, children }: Frame) {
  const isChoosable = !visit.visitor?.person.language;
  return (
    <div class="gate">
      <header>
        <BrandName brand={brand} />
      </header>
      <main id="content">{children}</main>
      {brand?.support && (
        <footer class="small">
          {visit.texts.branding.questions} <SupportLink support={brand.support} />
        </footer>
      )}
      {address !== null && isChoosable && (
        <LanguageChoice label={visit.texts.account.language} current={visit.language} address={address} />
      )}
    </div>
  );
}

function Shell(frame: Frame) {
  const { visit, current } = frame;
  const { nav, project } = visit.texts;
  return (
    <>
      <a class="skip" href="#content">
        {nav.skip}
      </a>
      {current?.project.isTest && <aside class="test">{project.testNotice}</aside>}
      <div class="shell">
        <header class="bar">
          <a class="brand" href="/console">
            <Bell />
            Belfry
          </a>
          <details class="menu">
            <summary>
              <Icon name="menu" />
              {nav.menu}
            </summary>
            <Side {...frame} isInBar />
          </details>
        </header>
        <Side {...frame} />
        <main id="content">{frame.children}</main>
      </div>
    </>
  );
}

function Side({ visit, current, menu, path, isInBar = false }: Frame & { readonly isInBar?: boolean }) {
  const { nav, project: kinds } = visit.texts;
  const shown = menu.flatMap((entry) => {
    if (!current || entry.scope !== "project" || !entry.menu || !includesRole(current.role, entry.role)) return [];
    return [{ href: `/console${entry.path.replace(":project", String(current.project.id))}`, ...entry.menu }];
  });
  return (
    <nav class="side" aria-label={nav.label}>
      {!isInBar && (
        <a class="brand" href="/console">
          <Bell />
          Belfry
        </a>
      )}
      {current && (
        <details class="switch">
          <summary>
            <span class="hidden">{nav.switchProject}:</span>
            <span class="what">{current.project.name}</span>
            <span class={current.project.isTest ? "kind test" : "kind"}>
              {current.project.isTest ? kinds.test : kinds.live}
            </span>
            <Icon name="down" />
          </summary>
          <ul>
            {visit.visitor?.memberships
              .filter(({ project }) => project.id !== current.project.id)
              .slice(0, MOST_SWITCHED)
              .map(({ project }) => (
                <li>
                  <a href={projectPath(project.id)}>
                    <span class="what">{project.name}</span>
                    <span class={project.isTest ? "kind test" : "kind"}>
                      {project.isTest ? kinds.test : kinds.live}
                    </span>
                  </a>
                </li>
              ))}
            <li>
              <a href="/console/projects">{nav.projects}</a>
            </li>
          </ul>
        </details>
      )}
      {shown.map(({ href, title, icon }) => (
        <MenuLink href={href} icon={icon} text={title(visit.texts)} isCurrent={href === path} />
      ))}
      {!current && (
        <MenuLink href="/console/projects" icon="list" text={nav.projects} isCurrent={path === "/console/projects"} />
      )}
      {isOperator(visit) && (
        <MenuLink
          href="/console/operator"
          icon="settings"
          text={visit.texts.operator.title}
          isCurrent={path.startsWith("/console/operator")}
        />
      )}
      <hr class="end" />
      <MenuLink href="/docs" icon="book" text={nav.documentation} isCurrent={false} />
      <MenuLink href="/console/account" icon="person" text={nav.account} isCurrent={path === "/console/account"} />
      <p class="email">{visit.visitor?.person.email}</p>
      <Form visit={visit} action="/console/sign-out">
        <button type="submit">{nav.signOut}</button>
      </Form>
    </nav>
  );
}

/** The list of all projects has the others. */
const MOST_SWITCHED = 20;

interface MenuLink {
  readonly href: string;
  readonly icon: IconName;
  readonly text: string;
  readonly isCurrent: boolean;
}

function MenuLink({ href, icon, text, isCurrent }: MenuLink) {
  return (
    <a href={href} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      {text}
    </a>
  );
}

/** A page that only says something, with the way back. */
export function Message(message: { readonly title: string; readonly lead: string; readonly back: string }) {
  return (
    <>
      <Heading mark="bad" title={message.title} lead={message.lead} />
      <div class="buttons">
        <a class="button first" href="/console">
          {message.back}
        </a>
      </div>
    </>
  );
}
