import type { Child } from "hono/jsx";
import type { WalkOf } from "../db/id-list.ts";
import { includesRole } from "../people/roles.ts";
import type { ProjectVisit, Visit } from "./definition.ts";
import type { IconName } from "./icons.tsx";
import { Empty, Notices, Top } from "./parts.tsx";

/** Tables, facts, pages of a list and states: how the pages of the console show rows. */

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

interface DataTable {
  /** What the table holds; read by screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly Child[])[];
}

/** A table that scrolls sideways where the page is narrow; the keyboard scrolls it once it has focus. */
export function DataTable({ caption, columns, rows }: DataTable) {
  const kindOf = (index: number) => (columns[index]?.isNumber ? "number" : undefined);
  return (
    <section class="card flush scroll" aria-label={caption} tabindex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title }, index) => (
              <th scope="col" class={kindOf(index)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td class={kindOf(index + 1)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Names with their values, such as the facts about one object. Null values are left out. */
export function Facts({ items }: { readonly items: readonly (readonly [string, Child | null])[] }) {
  return (
    <dl class="pairs">
      {items.map(([name, value]) =>
        value === null ? null : (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface Pager {
  /** Names the list, for screen readers. */
  readonly label: string;
  readonly links: readonly { readonly text: string; readonly href: string | null }[];
}

/** Links to the other pages of a list; nothing if there are none. */
export function Pager({ label, links }: Pager) {
  const shown = links.flatMap(({ text, href }) => (href === null ? [] : [{ text, href }]));
  return shown.length === 0 ? null : (
    <nav class="buttons" aria-label={label}>
      {shown.map(({ text, href }) => (
        <a class="button" href={href}>
          {text}
        </a>
      ))}
    </nav>
  );
}

interface ObjectList {
  readonly visit: Visit;
  readonly icon: IconName;
  readonly texts: {
    readonly title: string;
    readonly lead: string;
    readonly create: string;
    readonly emptyTitle: string;
    readonly emptyLead: string;
    /** For those who may not create one. */
    readonly emptyViewer?: string;
  };
  /** Where one is created; null for those who may not. */
  readonly createAt: string | null;
  readonly isEmpty: boolean;
  /** The items of the list. */
  readonly children: Child;
}

/** The top of a page that lists objects, and the list; without any, an invitation to create the first. */
export function ObjectList({ visit, icon, texts, createAt, isEmpty, children }: ObjectList) {
  const create = createAt !== null && (
    <a class="button first" href={createAt}>
      {texts.create}
    </a>
  );
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {!isEmpty && create}
      </Top>
      <Notices visit={visit} />
      {isEmpty ? (
        <Empty
          icon={icon}
          title={create ? texts.emptyTitle : texts.title}
          lead={create ? texts.emptyLead : (texts.emptyViewer ?? texts.lead)}
        >
          {create}
        </Empty>
      ) : (
        <ul class="card flush items" aria-label={texts.title}>
          {children}
        </ul>
      )}
    </>
  );
}

interface ListPager {
  readonly texts: { readonly title: string; readonly newest: string; readonly older: string };
  /** Null on the first page. */
  readonly newest: string | null;
  /** Null on the last page. */
  readonly older: string | null;
}

/** The pages of a list with the newest first. */
export function ListPager({ texts, newest, older }: ListPager) {
  const links = [
    { text: texts.newest, href: newest },
    { text: texts.older, href: older },
  ];
  return <Pager label={texts.title} links={links} />;
}

export type StateKind = "good" | "warn" | "bad" | "off";

/** A state in one or two words. */
export function State({ kind, text }: { readonly kind: StateKind; readonly text: string }) {
  return <span class={`kind ${kind}`}>{text}</span>;
}

interface WalkedList<Row> {
  readonly visit: ProjectVisit;
  readonly icon: IconName;
  readonly texts: ObjectList["texts"] & ListPager["texts"];
  /** The address of the list. */
  readonly base: string;
  readonly found: WalkOf<Row>;
  readonly isFirst: boolean;
  readonly item: (row: Row) => Child;
}

/** A list that its address walks (`?after=`), whose rows editors create. */
export function WalkedList<Row>({ visit, icon, texts, base, found: { items, next }, isFirst, item }: WalkedList<Row>) {
  const createAt = includesRole(visit.role, "editor") ? `${base}/new` : null;
  const isEmpty = items.length === 0 && isFirst;
  return (
    <>
      <ObjectList visit={visit} icon={icon} texts={texts} createAt={createAt} isEmpty={isEmpty}>
        {items.map((row) => (
          <li>{item(row)}</li>
        ))}
      </ObjectList>
      <ListPager texts={texts} newest={isFirst ? null : base} older={next === null ? null : `${base}?after=${next}`} />
    </>
  );
}
