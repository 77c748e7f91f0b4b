import { z } from "zod";
import { hmac } from "../../core/hmac.ts";
import { interpretRead, interpretWrite, type ReadResult, type WriteResult } from "../answers.ts";
import type { AccountContext, AppContext, Failure, PageSizes } from "../context.ts";
import { type Listed, type Page, parseItems, readList } from "../lists.ts";
import { type FileField, Multipart } from "../multipart.ts";
import type { Answered, CallRequest, Lost } from "../request.ts";
import { API_VERSIONS } from "../versions.ts";
import { type GraphErrors, graphTable } from "./errors.ts";
import { grownSize, halved, isTooMuchData } from "./page-sizes.ts";

/** Calls Meta's Graph API for all products: Facebook, Instagram (two hosts), Threads, ads. */

export const VERSION = API_VERSIONS.graph.version;

export interface GraphApi extends GraphErrors {
  /** With the version, e.g. `https://graph.facebook.com/v27.0`. */
  readonly baseUrl: string;
  /** Where a call carries its token; a header keeps it out of URLs. */
  readonly tokenIn: "header" | "parameter";
  /** Whether each call includes `appsecret_proof`, computed from the token of the call. */
  readonly isProven: boolean;
  /** How a list ends: without `next`, or, if none is ever sent, without a new cursor or items. */
  readonly listEnd: "no_next" | "no_cursor";
  /** Parameters of every call. */
  readonly always?: Readonly<Record<string, string>>;
}

export interface GraphCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Binary parts; with them the form is sent as multipart. */
  readonly files?: Readonly<Record<string, FileField>>;
}

export const get = (path: string, query: NonNullable<GraphCall["query"]> = {}): GraphCall => ({
  method: "GET",
  path,
  query,
});

export const post = (
  path: string,
  form: NonNullable<GraphCall["form"]>,
  files?: NonNullable<GraphCall["files"]>,
): GraphCall => ({ method: "POST", path, form, ...(files ? { files } : {}) });

/** The answer of deletions and acknowledgements. */
export const Success = z.object({ success: z.literal(true) });

/** The Graph API with one token. */
export interface GraphClient {
  /** The raw answer. Lists are requested again with a smaller `limit` where Graph refuses a large one. */
  request(call: GraphCall): Promise<Answered | Lost>;
  /** How many pages show as much as these, after the size of the pages that Graph gave last. */
  pagesFor(maxPages: number): () => number;
  /** A call that may be repeated: an unclear answer is a temporary failure. */
  read<S extends z.ZodType>(call: GraphCall, schema: S): Promise<ReadResult<z.output<S>>>;
  /** A call that must not be repeated: an unclear answer stays unknown. */
  write<S extends z.ZodType>(call: GraphCall, schema: S): Promise<WriteResult<z.output<S>>>;
  interpretRead<S extends z.ZodType>(answer: Answered | Lost, schema: S): ReadResult<z.output<S>>;
  interpretWrite<S extends z.ZodType>(answer: Answered | Lost, schema: S): WriteResult<z.output<S>>;
  /** One page of a list, after a cursor. */
  interpretPage<S extends z.ZodType>(
    answer: Answered | Lost,
    item: S,
    after: string | undefined,
  ): Page<z.output<S>> | Failure;
  /** Reads a list to its end, or `maxPages` pages of it; `readPage` reads the page after a cursor. */
  list<S extends z.ZodType>(
    readPage: (after: string | undefined) => Promise<Answered | Lost>,
    item: S,
    maxPages: number,
  ): Promise<Listed<z.output<S>> | Failure>;
  /** The same, but one unreadable item fails the whole: for figures, where a missing item is a wrong sum. */
  listStrictly<S extends z.ZodType>(
    readPage: (after: string | undefined) => Promise<Answered | Lost>,
    item: S,
    maxPages: number,
  ): Promise<Listed<z.output<S>> | Failure>;
}

export function graphClient(api: GraphApi, context: GraphContext, token: string): GraphClient {
  const table = graphTable(api);
  const pages = new PagesOf(api, context);
  const client: GraphClient = {
    request: (call) => pages.request(call, async (sized) => context.send(await toRequest(api, context, token, sized))),
    pagesFor: (maxPages) => pages.countFor(maxPages),
    read: async (call, schema) => client.interpretRead(await client.request(call), schema),
    write: async (call, schema) => client.interpretWrite(await client.request(call), schema),
    interpretRead: (answer, schema) => interpretRead(table, answer, schema, context.now),
    interpretWrite: (answer, schema) => interpretWrite(table, answer, schema, context.now),
    interpretPage: (answer, item, after) => {
      const read = client.interpretRead(answer, z.object({ data: z.array(z.unknown()), paging: Paging.nullish() }));
      if (read.kind === "failed") return read;
      const { data, paging } = read.value;
      return { kind: "page", ...parseItems(item, data), ...following(api, data.length, paging, after) };
    },
    list: (readPage, item, maxPages) =>
      readList(client.pagesFor(maxPages), async (after) => client.interpretPage(await readPage(after), item, after)),
    listStrictly: (readPage, item, maxPages) =>
      readList(client.pagesFor(maxPages), async (after) => {
        const page = z.object({ data: z.array(item), paging: Paging.nullish() });
        const read = client.interpretRead(await readPage(after), page);
        if (read.kind === "failed") return read;
        const { data, paging } = read.value;
        return { kind: "page" as const, items: data, ...following(api, data.length, paging, after) };
      }),
  };
  return client;
}

/** With an account, the client remembers the sizes of its pages. */
type GraphContext = AppContext & Partial<Pick<AccountContext, "pageSizes">>;

/** The sizes of the pages that one client requests (page-sizes.ts). */
class PagesOf {
  readonly #host: string;
  readonly #now: number;
  readonly #sizes: PageSizes | undefined;
  /** How many pages are as large as one would have been. */
  #times = 1;

  constructor({ baseUrl }: GraphApi, { now, pageSizes }: GraphContext) {
    this.#host = new URL(baseUrl).host;
    this.#now = now;
    this.#sizes = pageSizes;
  }

  async request(call: GraphCall, send: (call: GraphCall) => Promise<Answered | Lost>): Promise<Answered | Lost> {
    const wanted = call.method === "GET" ? Number(call.query?.limit ?? 0) : 0;
    if (!(wanted > 1)) return send(call);
    const list = `${this.#host}/${call.path.split("/").at(-1)}`;
    const first = grownSize(this.#sizes?.get(list) ?? null, wanted, this.#now);
    for (let size = first; ; ) {
      this.#times = Math.ceil(wanted / size);
      const answer = await send({ ...call, query: { ...call.query, limit: size } });
      const smaller = isTooMuchData(answer) ? halved(size) : null;
      if (smaller === null) {
        if (size < first) await this.#sizes?.keep(list, { size, at: this.#now });
        return answer;
      }
      size = smaller;
    }
  }

  countFor(maxPages: number): () => number {
    return () => Math.max(maxPages, Math.min(MOST_SMALL_PAGES, maxPages * this.#times));
  }
}

/** A look-up reads as far back in small pages as in large ones, within the calls of a delivery. */
const MOST_SMALL_PAGES = 50;

async function toRequest(api: GraphApi, { app }: AppContext, token: string, call: GraphCall): Promise<CallRequest> {
  const { method, path, query, form, files } = call;
  const isInHeader = api.tokenIn === "header";
  const request = {
    method,
    url: `${api.baseUrl}/${path}`,
    headers: isInHeader ? { authorization: `Bearer ${token}` } : {},
  };
  const added: Record<string, string> = {
    ...api.always,
    ...(isInHeader ? {} : { access_token: token }),
    ...(api.isProven ? { appsecret_proof: await appSecretProof(app.secret, token) } : {}),
  };
  if (method !== "POST") return { ...request, query: { ...query, ...added } };
  const fields = { ...form, ...added };
  if (!files) return { ...request, form: fields };
  const multipart = new Multipart();
  for (const [name, value] of Object.entries(fields)) multipart.set(name, value);
  for (const [name, file] of Object.entries(files)) multipart.set(name, file);
  return { ...request, multipart };
}

async function appSecretProof(secret: string, token: string): Promise<string> {
  return Array.from(await hmac(secret, token), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const Paging = z.object({
  cursors: z.object({ after: z.string().optional() }).nullish(),
  next: z.string().nullish(),
});

/**
 * The cursor of the next page. A page may be short or empty while more follow: if `next` is sent, only its
 * absence ends the list. `next` itself is not called, because it contains the token.
 */
function following(
  { listEnd }: GraphApi,
  count: number,
  paging: z.output<typeof Paging> | null | undefined,
  after: string | undefined,
): { isLast: boolean; next: string | null } {
  const { next, cursors } = paging ?? {};
  const cursor = cursors?.after ?? URL.parse(next ?? "")?.searchParams.get("after") ?? null;
  if (listEnd === "no_next") return { isLast: !next, next: cursor };
  return { isLast: count === 0 || cursor === null || cursor === after, next: cursor };
}
