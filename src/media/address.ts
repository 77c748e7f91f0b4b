/**
 * Which addresses of users we ask at all: https only, and none of a private network, in whatever spelling. Pure.
 *
 * A public name may still resolve to a private address. Cloudflare's fetch cannot reach one
 * (`global_fetch_strictly_public`); elsewhere the network has to see to that.
 */

/** Above what DNS takes (253), with room for a port and for names that are shorter once they are written in ASCII. */
const MAX_AUTHORITY = 300;
const MAX_HOST = 253;
const MAX_LABEL = 63;

/** Why we do not ask an address, as a sentence; null when we do. */
export function checkAddress(address: string, allowLoopback: boolean): string | null {
  // The parser takes a time that grows with the square of a host's length when it is full of combining marks.
  if (authorityOf(address).length > MAX_AUTHORITY) return "The address has a host name that is too long.";
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

/** What the parser will read as user, host and port; it skips tabs and line ends, and takes `\\` for `/`. */
function authorityOf(address: string): string {
  return /^[^:/?#]*:[/\\]*([^/\\?#]*)/.exec(address.replaceAll(/[\t\n\r]/g, ""))?.[1] ?? "";
}

const PRIVATE_SUFFIXES = ["local", "internal", "home.arpa", "lan", "localdomain", "intranet", "corp", "home"];

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublicV6(host.slice(1, -1));
  const v4 = parseV4(host);
  if (v4 !== null) return isPublicV4(v4);
  return isName(host) && !PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Two or more labels, none of them empty: resolvers disagree on what `a..b` and `localhost..` mean. */
function isName(host: string): boolean {
  const labels = host.split(".");
  return host.length <= MAX_HOST && labels.length > 1 && labels.every((one) => one !== "" && one.length <= MAX_LABEL);
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
