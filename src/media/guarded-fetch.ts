/**
 * The request for addresses that users give us (media, webhooks): it must not become a way into places that only we can
 * reach. https only, no addresses of private networks in whatever spelling, redirects followed by hand and checked anew,
 * time and size bounded while the body streams.
 *
 * A public name may still resolve to a private address. Cloudflare's fetch cannot reach one
 * (`global_fetch_strictly_public`); elsewhere the network has to see to that.
 */
export interface GuardedRequest {
  readonly method?: "GET" | "HEAD";
  /** Bytes [start, end). A server that ignores ranges is read and cut, never kept whole. */
  readonly range?: { readonly start: number; readonly end: number };
  /** Largest body that is kept; a longer one is a failure. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export type GuardedAnswer =
  | {
      readonly kind: "ok";
      readonly status: number;
      readonly headers: Headers;
      readonly body: Uint8Array<ArrayBuffer>;
      /** Length of the whole file, where the server tells it. */
      readonly totalBytes: number | null;
    }
  /** We do not ask this address. */
  | { readonly kind: "refused"; readonly message: string }
  /** It was asked, but gave no whole answer. */
  | { readonly kind: "failed"; readonly message: string };

export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<GuardedAnswer>;

export interface GuardOptions {
  /** For development: plain http and any port, on this machine only. */
  readonly allowLoopback: boolean;
  readonly fetch?: typeof fetch;
}

const MAX_REDIRECTS = 3;
/** Read and thrown away to reach a range of a server that has none. */
const MAX_SKIPPED_BYTES = 256 * 1024 * 1024;

export function createGuardedFetch({ allowLoopback, fetch: given }: GuardOptions): GuardedFetch {
  const transport: typeof fetch = given ?? ((input, init) => fetch(input, init));

  return async (url, request) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), request.timeoutMs);
    let address = url;
    try {
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const obstacle = checkAddress(address, allowLoopback);
        if (obstacle !== null) return { kind: "refused", message: obstacle };
        const { method = "GET" } = request;
        const init = { method, headers: headersOf(request), redirect: "manual", signal: limit.signal } as const;
        const response = await transport(address, init);
        const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
        if (location === null) return await readAnswer(response, request, limit.signal);
        await response.body?.cancel();
        const next = URL.parse(location, address);
        if (next === null) return { kind: "failed", message: "It redirects to something that is no address." };
        address = next.href;
      }
      return { kind: "failed", message: `It redirects more than ${MAX_REDIRECTS} times.` };
    } catch {
      const isLate = limit.signal.aborted;
      return {
        kind: "failed",
        message: isLate ? `No answer within ${request.timeoutMs / 1000} s.` : "It cannot be reached.",
      };
    } finally {
      clearTimeout(timer);
    }
  };
}

function headersOf({ range }: GuardedRequest): Headers {
  // A compressed body would make ranges and lengths those of the compressed bytes.
  const headers = new Headers({ accept: "*/*", "accept-encoding": "identity", "user-agent": "Belfry/1.0" });
  if (range) headers.set("range", `bytes=${range.start}-${range.end - 1}`);
  return headers;
}

async function readAnswer(response: Response, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  const { status, headers } = response;
  const { range, maxBytes } = request;
  const contentRange = status === 206 ? parseContentRange(headers.get("content-range")) : null;
  const totalBytes = status === 206 ? (contentRange?.total ?? null) : lengthOf(headers);
  const answer = (body: Uint8Array<ArrayBuffer>) => ({ kind: "ok", status, headers, body, totalBytes }) as const;

  if (status === 416) {
    await response.body?.cancel();
    return answer(new Uint8Array());
  }
  const first = status === 206 ? (contentRange?.start ?? range?.start ?? 0) : 0;
  const skip = range && status < 300 ? range.start - first : 0;
  if (skip < 0) return { kind: "failed", message: "It answers another range than the one asked." };
  if (skip > MAX_SKIPPED_BYTES) {
    await response.body?.cancel();
    return {
      kind: "failed",
      message: "Its server cannot send parts of a file (range requests), which large files need.",
    };
  }
  const wanted = range && status < 300 ? Math.min(range.end - range.start, maxBytes) : null;
  const body = await readPart(response, skip, wanted ?? maxBytes, wanted === null, signal);
  return body === null ? { kind: "failed", message: `It is larger than ${maxBytes} bytes.` } : answer(body);
}

/** Skips, then keeps at most `max` bytes. Null when there is more and `isWhole` asks for all of it. */
async function readPart(
  response: Response,
  skip: number,
  max: number,
  isWhole: boolean,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  if (response.body === null) return joined(parts);
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    let left = skip;
    let room = max;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return joined(parts);
      const rest = value.subarray(Math.min(left, value.byteLength));
      left -= value.byteLength - rest.byteLength;
      if (rest.byteLength > room && isWhole) {
        cancel();
        return null;
      }
      if (rest.byteLength > 0) parts.push(rest.subarray(0, room));
      room -= Math.min(rest.byteLength, room);
      if (room === 0 && !isWhole) {
        cancel();
        return joined(parts);
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

function parseContentRange(header: string | null): { start: number; total: number | null } | null {
  const match = header?.match(/^bytes (\d+)-\d+\/(\d+|\*)$/);
  return match ? { start: Number(match[1]), total: match[2] === "*" ? null : Number(match[2]) } : null;
}

function lengthOf(headers: Headers): number | null {
  const length = headers.get("content-length");
  return length !== null && /^\d+$/.test(length) ? Number(length) : null;
}

// --- which addresses we ask -------------------------------------------------------------------------------------

/** Why we do not ask an address, as a sentence; null when we do. */
export function checkAddress(address: string, allowLoopback: boolean): string | null {
  const url = URL.parse(address);
  if (url === null) return "This is not a complete address.";
  // The URL parser has turned decimal, octal and hexadecimal spellings of IPv4 into dots by now.
  const host = url.hostname.replace(/\.$/, "").toLowerCase();
  const isLocal = isLoopback(host);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal && allowLoopback)) {
    return "The address must begin with https://.";
  }
  if (url.username !== "" || url.password !== "") return "The address must not contain a user name or password.";
  if (isLocal) return allowLoopback ? null : `${host} is this server itself; the address must be public.`;
  if (!isPublicHost(host)) return `${host} is not a public address.`;
  const port = url.port === "" ? 443 : Number(url.port);
  return port === 443 || port === 80 || port >= 1024 ? null : `Port ${port} is not allowed.`;
}

const PRIVATE_SUFFIXES = ["local", "internal", "home.arpa", "lan", "localdomain", "intranet", "corp", "home"];

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublicV6(host.slice(1, -1));
  const v4 = parseV4(host);
  if (v4 !== null) return isPublicV4(v4);
  return host.includes(".") && !PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

function parseV4(host: string): number | null {
  const parts = host.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return null;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

// IANA's special-purpose registry: what is not globally reachable, and multicast.
const PRIVATE_V4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

function isPublicV4(address: number): boolean {
  return !PRIVATE_V4.some(([network, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((parseV4(network) ?? 0) / size);
  });
}

/** Only 2000::/3 is handed out as public; inside it a few blocks are not, or wrap an IPv4 address. */
function isPublicV6(host: string): boolean {
  const groups = expandV6(host);
  const [first = 0, second = 0] = groups;
  if (first < 0x2000 || first > 0x3fff) return false;
  const isSpecial = first === 0x2001 && (second < 0x0200 || second === 0x0db8);
  return !isSpecial && first !== 0x2002 && first !== 0x3fff;
}

/** The URL parser has written IPv6 in hexadecimal groups, the longest run of zeros as `::`. */
function expandV6(host: string): readonly number[] {
  const [head = "", tail] = host.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return groups(head);
  const before = groups(head);
  const after = groups(tail);
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}
