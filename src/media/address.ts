import ipaddr from "ipaddr.js";
import { type AnswerProblem, answerProblem } from "../core/answer-problems.ts";

/**
 * Decides which user-supplied addresses we call: https only, and no private network in any spelling. Pure.
 * ipaddr.js classifies numeric addresses by IANA's registries; only plainly public addresses are allowed.
 *
 * A name with an empty label is refused, also with the root label at its end. Resolvers and certificates
 * disagree on `a..b`, `.localhost` and `example.com.`, and one host must have one spelling.
 *
 * A public name may still resolve to a private address. Cloudflare's fetch cannot reach one
 * (`global_fetch_strictly_public`); elsewhere the network must block it.
 */

/** Above the limit of DNS (253), with room for a port and for names that become shorter in ASCII. */
const MAX_AUTHORITY = 300;
const MAX_HOST = 253;
const MAX_LABEL = 63;

/** Why an address is not allowed, worded to follow its name ("must …"); null if it is allowed. */
export function checkAddress(address: string, allowLoopback: boolean): string | null {
  // The parser takes quadratic time on a host that is full of combining marks.
  if (authorityOf(address).length > MAX_AUTHORITY) return `must have a host name of at most ${MAX_HOST} characters.`;
  const url = URL.parse(address);
  if (url === null) return "must be an absolute URL that begins with https://.";
  // The URL parser has already converted decimal, octal and hexadecimal IPv4 spellings to dotted notation.
  const host = url.hostname.toLowerCase();
  if (host !== "" && host.split(".").includes("")) {
    return `The host name ${host} has an empty part. Remove dots at its start or end, and double dots.`;
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

/** Why we do not call the address; null if we do. */
export function addressProblem(address: string, allowLoopback: boolean): AnswerProblem | null {
  const why = checkAddress(address, allowLoopback);
  if (why === null) return null;
  return answerProblem("address_refused", why.startsWith("The ") ? why : `The address ${why}`);
}

/**
 * The part that the parser reads as user, host and port; the parser skips tabs and line ends, and reads `\\`
 * as `/`.
 */
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

/** Null for a host name. */
function numericAddress(host: string): NumericAddress | null {
  const text = host.startsWith("[") ? host.slice(1, -1) : host;
  return ipaddr.isValid(text) ? ipaddr.parse(text) : null;
}

/**
 * The IPv6 range that IANA assigns. The library classifies every range it does not know as unicast, such as
 * `::10.0.0.1`.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** An address that wraps an IPv4 address (mapped, 6to4, Teredo, NAT64) is not public, whatever it wraps. */
function isPublicAddress(address: NumericAddress): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  const tunnelled = isatapAddress(address);
  return address.match(GLOBAL_UNICAST) && (tunnelled === null || isPublicAddress(tunnelled));
}

/**
 * The IPv4 address at the end of an ISATAP tunnel address (RFC 5214), which can have any prefix:
 * `…:0:5efe:a.b.c.d`.
 */
function isatapAddress({ parts }: ipaddr.IPv6): ipaddr.IPv4 | null {
  const [, , , , flags = 0, mark, high = 0, low = 0] = parts;
  if (mark !== 0x5efe || (flags & 0xfdff) !== 0) return null;
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}
