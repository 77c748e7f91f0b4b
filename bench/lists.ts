import { z } from "zod";
import type { Finding } from "../scripts/support/driver.ts";
import { say, table } from "../scripts/support/terminal.ts";
import { type Filter, type List, listsOf } from "./list-requests.ts";
import type { ListService } from "./list-service.ts";
import { readCosts } from "./measure.ts";
import { limited } from "./promises.ts";

/**
 * Measures how many rows a page reads, for each list, each filter and each pair of filters. The limits are
 * those of decision 0042.
 */

/**
 * Numbered pages are served within this many rows of either end. Totals without a counter are counted up to
 * it.
 */
const REACH = 10_000;
const MOST = 25_000;
const LIMITS = [10, 100];
const pageAtMost = ({ list, limit }: Wanted) => 12 * limit + 100 + list.comparedRows;

/** The result of reading one page. */
interface PageRead {
  readonly list: string;
  readonly query: string;
  readonly limit: number;
  readonly kind: Kind;
  /** The requested page or cursor. */
  readonly place: string;
  readonly rows: number;
  readonly atMost: number;
  /** Any other problem with the page. */
  readonly fault: string | null;
}
const KINDS = ["page 1", "from the start", "from the end", "between", "cursor"] as const;
type Kind = (typeof KINDS)[number];

export async function measureLists(service: ListService): Promise<readonly Finding[]> {
  const asking = new Asking(service);
  const read: PageRead[] = [];
  for (const list of listsOf(service.filled)) {
    for (const filter of list.filters) {
      for (const limit of LIMITS.map((each) => Math.min(each, list.mostItems))) {
        const wanted = { list, filter, limit };
        if (list.hasPages) read.push(...(await numberedPages(asking, wanted)));
        if (list.hasCursor) read.push(...(await cursorPages(asking, wanted)));
        if (!list.hasPages && !list.hasCursor) read.push(await pageOne(asking, wanted));
      }
    }
  }
  say(`\n${listTable(read)}`);
  return checkLists(read);
}

interface Wanted {
  readonly list: List;
  readonly filter: Filter;
  readonly limit: number;
}

async function numberedPages(asking: Asking, wanted: Wanted): Promise<readonly PageRead[]> {
  const { list, filter, limit } = wanted;
  const first = await asking.read(wanted, "page=1");
  const { total, lastPage, isCapped } = first;
  // A filter without a counter is counted on page 1, up to 10,000.
  const read = [
    toRead(wanted, { kind: "page 1", place: "page=1", atMost: filter.isCounted ? pageAtMost(wanted) : MOST }, first),
  ];
  // The service paces deep pages (src/core/row-pace.ts), so only the largest pages are requested.
  if (limit < Math.min(Math.max(...LIMITS), list.mostItems)) return read;
  const numbered = async (kind: Kind, page: number, isThere: boolean) => {
    const found = await asking.read(wanted, `page=${page}`);
    const fault = isThere ? faultOf(found, 200) : kind === "between" ? faultOf(found, 422) : null;
    read.push({ ...toRead(wanted, { kind, place: `page=${page}`, atMost: MOST }, found), fault });
  };
  const pages = Math.floor(REACH / limit);
  if (total === null || lastPage === null) {
    // A list without a total has page numbers only from its start.
    await numbered("from the start", pages, true);
    return read;
  }
  if (lastPage > 1) await numbered("from the start", Math.min(pages, lastPage), filter.isCounted);
  if (isCapped || !filter.isCounted || lastPage <= pages) {
    if (lastPage > 1) await numbered("from the end", lastPage, false);
    return read;
  }
  await numbered("from the end", lastPage, true);
  await numbered("from the end", Math.max(1, lastPage - pages + 1), true);
  if (total > 2 * REACH + 2 * limit) await numbered("between", Math.floor(lastPage / 2), false);
  const expected = asking.totals.get(`${list.name}?${filter.query}`);
  if (expected !== undefined && expected !== total) throw new Error(`${list.name} counts ${total}, not ${expected}.`);
  return read;
}

/** From the start, and from the deepest position that a URL can address. */
async function cursorPages(asking: Asking, wanted: Wanted): Promise<readonly PageRead[]> {
  const { list } = wanted;
  const start = list.hasPages ? "cursor=" : "";
  const first = await asking.read(wanted, start);
  const read = [
    {
      ...toRead(wanted, { kind: "cursor", place: "the start", atMost: pageAtMost(wanted) }, first),
      fault: faultOf(first, 200),
    },
  ];
  const deep = await asking.deepCursor(wanted, first.nextCursor);
  if (deep === null) return read;
  const found = await asking.read(wanted, `cursor=${deep}`);
  return [
    ...read,
    {
      ...toRead(wanted, { kind: "cursor", place: "deep", atMost: pageAtMost(wanted) }, found),
      fault: faultOf(found, 200),
    },
  ];
}

async function pageOne(asking: Asking, wanted: Wanted): Promise<PageRead> {
  const found = await asking.read(wanted, "");
  return {
    ...toRead(wanted, { kind: "page 1", place: "page 1", atMost: pageAtMost(wanted) }, found),
    fault: faultOf(found, 200),
  };
}

interface Place {
  readonly kind: Kind;
  readonly place: string;
  readonly atMost: number;
}

function toRead(wanted: Wanted, { kind, place, atMost }: Place, { rows, status, sentence }: Found): PageRead {
  const { list, filter, limit } = wanted;
  const fault = kind === "page 1" && status !== 200 ? `answers ${status}: ${sentence}` : null;
  return { list: list.name, query: filter.query, limit, kind, place, rows, atMost, fault };
}

function faultOf({ status, sentence }: Found, expected: 200 | 422): string | null {
  if (status !== expected) return `answers ${status} in place of ${expected}: ${sentence}`;
  return expected === 422 && !sentence.includes("cursor") ? `does not name cursor: ${sentence}` : null;
}

interface Found {
  readonly status: number;
  readonly rows: number;
  readonly total: number | null;
  readonly lastPage: number | null;
  readonly isCapped: boolean;
  readonly nextCursor: string | null;
  readonly nextUrl: string | null;
  readonly sentence: string;
}

const Page = z.looseObject({
  total: z.int().optional(),
  last_page: z.int().optional(),
  total_is_capped: z.boolean().optional(),
  next_cursor: z.string().nullable().optional(),
  next_page_url: z.string().nullable().optional(),
});

class Asking {
  /** The totals of lists whose count is known. */
  readonly totals: ReadonlyMap<string, number>;
  readonly #service: ListService;
  #turn = 0;

  constructor(service: ListService) {
    this.#service = service;
    this.totals = service.totals;
  }

  /**
   * The service re-reads a token from the database occasionally. A page slightly above its limit is therefore
   * read once more.
   */
  async read(wanted: Wanted, place: string): Promise<Found> {
    const { list, filter, limit } = wanted;
    const query = [filter.query, `limit=${limit}`, place].filter((part) => part !== "").join("&");
    const found = await this.#send(`${list.path}?${query}`);
    const most = pageAtMost(wanted);
    if (found.rows <= most || found.rows > 2 * most) return found;
    const again = await this.#send(`${list.path}?${query}`);
    return found.rows <= again.rows ? found : again;
  }

  /** A cursor halfway through the ids if it ends with an id; otherwise at the end of the numbered pages. */
  async deepCursor(wanted: Wanted, next: string | null): Promise<string | null> {
    if (next === null) return null;
    if (/^[\d.-]+$/.test(next)) return next.replace(/\d+$/, (id) => String(Math.max(1, Math.floor(Number(id) / 2))));
    const { nextUrl } = await this.read(wanted, `page=${Math.floor(REACH / wanted.limit)}`);
    return (nextUrl && new URL(nextUrl).searchParams.get("cursor")) ?? next;
  }

  async #send(path: string): Promise<Found> {
    const { origin, tokens } = this.#service;
    const token = tokens[this.#turn++ % tokens.length] ?? "";
    const response = await fetch(`${origin}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const text = await response.text();
    const answer = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data ?? {};
    const page = Object.values(answer)
      .map((value) => Page.safeParse(value).data)
      .find((each) => each !== undefined);
    return {
      status: response.status,
      rows: readCosts(response.headers.get("Server-Timing")).rowsRead,
      total: page?.total ?? null,
      lastPage: page?.last_page ?? null,
      isCapped: page?.total_is_capped ?? false,
      nextCursor: page?.next_cursor ?? null,
      nextUrl: page?.next_page_url ?? null,
      sentence: response.status === 200 ? "" : text.slice(0, 200),
    };
  }
}

/** The rows of each list without a filter and with each filter; for pairs, the maximum. */
function listTable(read: readonly PageRead[]): string {
  const groups = Map.groupBy(read, ({ list, query }) => `${list}?${labelOf(query)}`);
  const rows = [...groups].map(([label, own]) => [
    label.replace(/\?$/, ""),
    ...KINDS.flatMap((kind) =>
      LIMITS.map((limit) => {
        const counts = own.filter((each) => each.kind === kind && each.limit === limit);
        return counts.length === 0 ? "" : Math.max(...counts.map((each) => each.rows)).toLocaleString("en");
      }),
    ),
  ]);
  const header = KINDS.flatMap((kind) => LIMITS.map((limit) => `${kind.toUpperCase()} (${limit})`));
  return table(["ROWS READ", ...header], rows);
}

function labelOf(query: string): string {
  const own = query.split("&").filter((part) => !part.startsWith("channels=facebook,"));
  return own.length > 1 ? `${own.length} filters` : decodeURIComponent(query);
}

/** One line for each list and kind of page, and a message for each violated limit. */
function checkLists(read: readonly PageRead[]): readonly Finding[] {
  const isBroken = ({ rows, atMost, fault }: PageRead) => fault !== null || !(rows <= atMost);
  const held = [...Map.groupBy(read, ({ list, kind }) => `${list}, ${kind}`)].map(([name, own]) => {
    const most = own.reduce((a, b) => (b.rows / b.atMost > a.rows / a.atMost ? b : a));
    const rule = `≤ ${most.atMost.toLocaleString("en")}, the nearest of ${own.length}`;
    return limited(name, `${most.rows.toLocaleString("en")} rows`, rule, !own.some(isBroken));
  });
  const broken = read.filter(isBroken).map(({ list, query, limit, kind, place, rows, atMost, fault }) => {
    const found = fault ?? `${rows.toLocaleString("en")} rows`;
    return limited(
      `${list}?${query}&limit=${limit}, ${kind} (${place})`,
      found,
      `≤ ${atMost.toLocaleString("en")}`,
      false,
    );
  });
  return [...held, ...broken];
}
