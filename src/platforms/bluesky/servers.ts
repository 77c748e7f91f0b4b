/**
 * Addresses of servers that account owners and documents name: untrusted input. Only plain origins of public
 * names are accepted; the request checks the address once more (request.ts). In development a server may be
 * on this machine, which the request refuses elsewhere.
 */

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HANDLE = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`);
const MAX_HANDLE = 253;
/** Names that the protocol never gives to an account. `.test` exists only in development. */
const REFUSED_ENDS = new Set(["alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion"]);

/** A handle in its one spelling; null if the text is none. */
export function toHandle(text: string): string | null {
  const handle = text
    .trim()
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/^@/, "")
    .toLowerCase();
  if (handle.length > MAX_HANDLE || !HANDLE.test(handle)) return null;
  return REFUSED_ENDS.has(handle.slice(handle.lastIndexOf(".") + 1)) ? null : handle;
}

/** The origin of a server; null if the address is not a plain origin of one. */
export function serverOrigin(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return null;
  if (url.pathname !== "/") return null;
  if (url.protocol === "http:") return /^(?:localhost|127\.0\.0\.1)$/.test(url.hostname) ? url.origin : null;
  const isName = toHandle(url.hostname) !== null;
  return url.protocol === "https:" && url.port === "" && isName ? url.origin : null;
}

/** Whether a call to the origin is not encrypted: only on this machine. */
export const isLoopback = (origin: string): boolean => origin.startsWith("http:");

const PLC = /^did:plc:[a-z2-7]{24}$/;
const WEB = /^did:web:([a-z0-9.-]+(?:%3A\d{1,5})?)$/i;

export const isDid = (text: string): boolean => PLC.test(text) || WEB.test(text);

/** The address of the document of an account's id; null for other kinds of ids. */
export function documentAddress(did: string, directory: string): string | null {
  if (PLC.test(did)) return `${directory}/${did}`;
  const host = WEB.exec(did)?.[1];
  if (host === undefined) return null;
  const name = decodeURIComponent(host);
  const scheme = name.startsWith("localhost:") ? "http" : "https";
  const origin = serverOrigin(`${scheme}://${name}`);
  return origin === null ? null : `${origin}/.well-known/did.json`;
}
