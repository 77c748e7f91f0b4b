import { z } from "zod";
import type { Project } from "../accounts/store.ts";
import { logoBytes } from "../branding/logo.ts";
import { findLogoOf } from "../branding/store.ts";
import { byteStream } from "../core/byte-stream.ts";
import { isNearlySpent } from "../core/meter.ts";
import { base64Url, fromBase64Url } from "../core/tokens.ts";
import { type ZipEntry, zipped } from "../core/zip.ts";
import type { Deps } from "../service/deps.ts";
import { readArchivedPosts, readArchivedTimelines } from "./export-archive.ts";
import { EXPORT_KINDS, type ExportKind } from "./export-kinds.ts";
import { listMedia } from "./export-media.ts";
import { readmeOf } from "./export-readme.ts";
import { readPage } from "./export-rows.ts";
import { isInDirectory } from "./tables.ts";

/**
 * Everything of a project in a zip archive that is written while it is sent: rows as JSON lines, a file for
 * each kind, then the files in the bucket. Memory holds a page of rows or a chunk of a file. An invocation
 * makes a limited number of calls, so a large project has several archives: each ends with the position from
 * which the next one continues, in its README and its comment.
 */
const PART_LIMITS = { bytes: 2 * 1024 ** 3, entries: 5_000 };
/** The size of a page that is aimed at: it is in memory. */
const PAGE_BYTES = 1_000_000;
/** What is read from the archive, by the table that names it. */
const ARCHIVED: Readonly<Record<string, typeof readArchivedPosts>> = {
  posts_at_rest: readArchivedPosts,
  archive_pages: readArchivedTimelines,
};
const FIRST_PAGE = 200;
const MAX_PAGE = 5_000;

/** Where an archive begins: a kind by its number and the last row before, then files by the last one's id. */
const Position = z.object({
  kind: z.int().min(0).max(EXPORT_KINDS.length),
  after: z.array(z.union([z.string(), z.number()])).nullable(),
});
type Position = z.output<typeof Position>;
const START: Position = { kind: 0, after: null };

const positionText = (position: Position): string => base64Url(new TextEncoder().encode(JSON.stringify(position)));

/** Null for a text that no archive has named. */
export function readPosition(text: string | undefined): Position | null {
  if (text === undefined || text === "") return START;
  const bytes = fromBase64Url(text);
  try {
    return bytes && (Position.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null);
  } catch {
    return null;
  }
}

export interface ExportRequest {
  readonly project: Project;
  readonly from: Position;
  readonly now: number;
  /** The address at which the archive from this position is found. */
  readonly addressOf: (position: string) => string;
  readonly limits?: typeof PART_LIMITS;
}

/** The bytes of one archive. */
export function exportArchive(deps: Deps, request: ExportRequest): AsyncGenerator<Uint8Array, void> {
  const part = new Part(deps, request);
  return zipped(part.entries(), () => (part.next === null ? "" : `next=${part.next}`));
}

class Part {
  next: string | null = null;
  readonly #deps: Deps;
  readonly #request: ExportRequest;
  readonly #counts = new Map<string, number>();
  readonly #missing: string[] = [];
  #bytes = 0;
  #entries = 0;
  #at: Position;

  constructor(deps: Deps, request: ExportRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#at = request.from;
  }

  async *entries(): AsyncGenerator<ZipEntry, void> {
    for (const kind of EXPORT_KINDS.slice(this.#at.kind)) {
      if (this.#isFull()) break;
      yield this.#entry(`${kind.name}.jsonl`, this.#rows(kind));
      if (this.#at.after !== null) break;
    }
    if (this.#at.kind === EXPORT_KINDS.length) yield* this.#media();
    if (this.#at.kind <= EXPORT_KINDS.length) this.next = positionText(this.#at);
    const { project, now, addressOf } = this.#request;
    const continuation = this.next === null ? null : addressOf(this.next);
    const readme = { project, now, continuation, counts: this.#counts, missing: this.#missing };
    yield { name: "README.txt", at: now, content: [new TextEncoder().encode(readmeOf(readme))] };
  }

  #isFull(): boolean {
    const { bytes, entries } = this.#request.limits ?? PART_LIMITS;
    const isStarted = this.#entries > 0;
    return isStarted && (isNearlySpent(this.#deps.meter) || this.#bytes >= bytes || this.#entries >= entries);
  }

  #entry(name: string, content: AsyncGenerator<Uint8Array, void>): ZipEntry {
    this.#entries++;
    return { name, at: this.#request.now, content: this.#counted(content) };
  }

  async *#counted(chunks: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  /** The rows of a kind. If the archive is full, the next one continues with the same kind. */
  async *#rows(kind: ExportKind): AsyncGenerator<Uint8Array, void> {
    const { db: home, directory } = this.#deps;
    const db = isInDirectory(kind.table) ? directory : home;
    const { id } = this.#request.project;
    let limit = FIRST_PAGE;
    let rows = 0;
    do {
      const { after } = this.#at;
      const archived = ARCHIVED[kind.table.name];
      const { lines, next } = archived
        ? await archived(this.#deps, id, after)
        : await readPage(db, id, kind, { after, limit });
      yield new TextEncoder().encode(lines);
      const count = lines === "" ? 0 : lines.split("\n").length - 1;
      rows += count;
      this.#counts.set(kind.name, rows);
      this.#at = next === null ? { kind: this.#at.kind + 1, after: null } : { ...this.#at, after: [...next] };
      if (count > 0)
        limit = Math.min(MAX_PAGE, Math.max(1, Math.floor((limit * PAGE_BYTES) / lines.length)), 4 * limit);
    } while (this.#at.after !== null && !this.#isFull());
  }

  /** The files of the bucket, then the logo; the position passes the last kind at the end. */
  async *#media(): AsyncGenerator<ZipEntry, void> {
    const { db, files } = this.#deps;
    const { id } = this.#request.project;
    while (true) {
      const page = await listMedia(db, id, Number(this.#at.after?.[0] ?? 0));
      for (const file of page.files) {
        if (this.#isFull()) return;
        const object = await files.get(file.name);
        if (object === null) this.#missing.push(file.path);
        else yield this.#entry(file.path, chunksOf(object.body));
        this.#at = { ...this.#at, after: [file.id] };
      }
      if (page.next === null) break;
      this.#at = { ...this.#at, after: [page.next] };
      if (this.#isFull()) return;
    }
    const logo = await findLogoOf(db, id);
    if (logo) yield this.#entry(`media/logo-${logo.name}`, onceOf(logoBytes(logo.base64)));
    this.#at = { kind: EXPORT_KINDS.length + 1, after: null };
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) yield chunk;
}

async function* onceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** The archive as a download. */
export function archiveResponse(deps: Deps, request: ExportRequest): Response {
  const { project, now } = request;
  const day = new Date(now).toISOString().slice(0, 10);
  return new Response(byteStream(exportArchive(deps, request)), {
    headers: {
      "Content-Type": "application/zip",
      "Content-Disposition": `attachment; filename="project-${project.id}-${day}.zip"`,
    },
  });
}
