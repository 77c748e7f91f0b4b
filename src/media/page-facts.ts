import type { GuardedFetch } from "./guarded-fetch.ts";

/** What a web page says about itself: its Open Graph properties, else its title and description. */
export interface PageFacts {
  readonly title: string;
  readonly description: string;
  /** The address of its picture; null without one. */
  readonly imageUrl: string | null;
}

const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 8_000;
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 1_000;

/** Null for an address that cannot be read, is no page, or has no title. */
export async function readPageFacts(fetch: GuardedFetch, url: string): Promise<PageFacts | null> {
  const answer = await fetch(url, { maxBytes: MAX_PAGE_BYTES, timeoutMs: TIMEOUT_MS });
  if (answer.kind !== "ok" || answer.status !== 200) return null;
  if (!/^text\/html|^application\/xhtml/i.test(answer.headers.get("content-type") ?? "")) return null;
  return parsePage(answer.body, url);
}

async function parsePage(body: Uint8Array<ArrayBuffer>, url: string): Promise<PageFacts | null> {
  const found = new Map<string, string>();
  const keep = (name: string, value: string | null) => {
    const text = value?.trim() ?? "";
    if (text !== "" && !found.has(name)) found.set(name, text);
  };
  let title = "";
  const rewriter = new HTMLRewriter()
    .on("meta", {
      element(meta) {
        const name = meta.getAttribute("property") ?? meta.getAttribute("name");
        if (name !== null && WANTED.has(name.toLowerCase())) keep(name.toLowerCase(), meta.getAttribute("content"));
      },
    })
    .on("head > title", {
      text(chunk) {
        if (title.length < MAX_TITLE) title += chunk.text;
      },
    });
  try {
    await rewriter.transform(new Response(body)).arrayBuffer();
  } catch {
    return null;
  }
  const shownTitle = found.get("og:title") ?? title.trim();
  if (shownTitle === "") return null;
  return {
    title: plain(shownTitle, MAX_TITLE),
    description: plain(found.get("og:description") ?? found.get("description") ?? "", MAX_DESCRIPTION),
    imageUrl: absolute(found.get("og:image") ?? found.get("og:image:url") ?? null, url),
  };
}

const WANTED = new Set(["og:title", "og:description", "og:image", "og:image:url", "description"]);

function absolute(address: string | null, page: string): string | null {
  return address === null ? null : (URL.parse(decoded(address), page)?.href ?? null);
}

/** A text in one line without the few entities that titles have. */
function plain(text: string, max: number): string {
  return decoded(text).replace(/\s+/g, " ").trim().slice(0, max).toWellFormed();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The runtime's parser leaves entities as they are. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
