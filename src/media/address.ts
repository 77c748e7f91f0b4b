import ipaddr from "ipaddr.js";

/**
 * Which addresses of users we ask at all: https only, and none of a private network, in whatever spelling.
 * Pure. What a numeric address is for is known by ipaddr.js, after IANA's registries; only what is plainly
 * public is asked.
 *
 * A name with an empty label is refused, also that of the root at its end: resolvers and certificates
 * disagree on what `a..b`, `.localhost` and `example.com.` are, and one host should have one spelling.
 *
 * A public name may still resolve to a private address. Cloudflare's fetch cannot reach one
 * (`global_fetch_strictly_public`); elsewhere the network has to see to that.
 */

/**
 * Above what DNS takes (253), with room for a port and for names that are shorter once they are written in
 * ASCII.
 */
const MAX_AUTHORITY = 300;
const MAX_HOST = 253;
const MAX_LABEL = 63;

/** Why we do not ask an address, worded to follow its name ("must …"); null when we do. */
export function checkAddress(address: string, allowLoopback: boolean): string | null {
  // The parser takes a time that grows with the square of a host's length when it is full of combining marks.
  if (authorityOf(address).length > MAX_AUTHORITY) return `must have a host name of at most ${MAX_HOST} characters.`;
  const url = URL.parse(address);
  if (url === null) return "must be a complete address, beginning with https://.";
  // The URL parser has turned decimal, octal and hexadecimal spellings of IPv4 into dots by now.
  const host = url.hostname.toLowerCase();
  if (host !== "" && host.split(".").includes("")) {
    return `The host name ${host} has an empty part: write it without a dot at its start or end, and without two in a row.`;
  }
  const numeric = numericAddress(host);
  const isLocal = numeric === null ? isLocalName(host) : numeric.range() === "loopback";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal && allowLoopback)) {
    return "must begin with https://.";
  }
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password.";
  if (isLocal) return allowLoopback ? null : `must be a public address, not ${host}, which is this server itself.`;
  if (numeric === null ? !isPublicName(host) : !isPublicAddress(numeric))
    return `must be a public address, not one on ${host}.`;
  const port = url.port === "" ? 443 : Number(url.port);
  return port === 443 || port === 80 || port >= 1024 ? null : `must have port 443, 80 or one above 1023, not ${port}.`;
}

/** What the parser will read as user, host and port; it skips tabs and line ends, and takes `\\` for `/`. */
function authorityOf(address: string): string {
  return /^[^:/?#]*:[/\\]*([^/\\?#]*)/.exec(address.replaceAll(/[\t\n\r]/g, ""))?.[1] ?? "";
}

const PRIVATE_SUFFIXES = ["local", "internal", "home.arpa", "lan", "localdomain", "intranet", "corp", "home"];

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function isPublicName(host: string): boolean {
  return isName(host) && !PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

function isName(host: string): boolean {
  const labels = host.split(".");
  return host.length <= MAX_HOST && labels.length > 1 && labels.every((one) => one.length <= MAX_LABEL);
}

type NumericAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Null for a name. */
function numericAddress(host: string): NumericAddress | null {
  const text = host.startsWith("[") ? host.slice(1, -1) : host;
  return ipaddr.isValid(text) ? ipaddr.parse(text) : null;
}

/** What IANA hands out of IPv6; the library takes all for unicast that it does not know, as `::10.0.0.1`. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** What wraps an IPv4 address (mapped, 6to4, Teredo, NAT64) is not public either, whatever it wraps. */
function isPublicAddress(address: NumericAddress): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  const tunnelled = isatapAddress(address);
  return address.match(GLOBAL_UNICAST) && (tunnelled === null || isPublicAddress(tunnelled));
}

/**
 * The IPv4 address at the end of a tunnel (ISATAP, RFC 5214), which any prefix may have: `…:0:5efe:a.b.c.d`.
 */
function isatapAddress({ parts }: ipaddr.IPv6): ipaddr.IPv4 | null {
  const [, , , , flags = 0, mark, high = 0, low = 0] = parts;
  if (mark !== 0x5efe || (flags & 0xfdff) !== 0) return null;
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}
