import { z } from "zod";
import { isRefusedScheme } from "../core/app-schemes.ts";
import { hmac } from "../core/hmac.ts";
import { equalBytes } from "../core/sealing.ts";
import { base64Url, fromBase64Url } from "../core/tokens.ts";

/**
 * Apps that registered themselves (RFC 7591). Everyone may register, so nothing is stored: the id of a client
 * is its name and its addresses, with our MAC. What it says about itself is not verified.
 */
export interface Client {
  readonly id: string;
  readonly name: string;
  /** Empty for one that only uses the device flow. */
  readonly redirectUris: readonly string[];
}

/** The `belfry` command. It names its own machine. */
export const TERMINAL_CLIENT = "belfry-terminal";

const MAX_URI = 500;
const MAX_URIS = 10;
const MAX_ID = 4_000;
const MAX_NAME = 60;

export const ClientMetadata = z.object({
  client_name: z.string().max(500).default(""),
  redirect_uris: z
    .array(
      z
        .string()
        .max(MAX_URI)
        .refine(isRedirectUri, "Use an https address, a loopback address, or an app's own scheme."),
    )
    .max(MAX_URIS)
    .default([]),
});

const Registered = z.object({ n: z.string(), r: z.array(z.string()) });

/** The client with its id, which is valid for as long as the signing key. */
export async function registerClient(
  signingKey: string,
  { client_name, redirect_uris: redirectUris }: z.output<typeof ClientMetadata>,
): Promise<Client> {
  const name = plainName(client_name);
  const content = base64Url(new TextEncoder().encode(JSON.stringify({ n: name, r: redirectUris })));
  return { id: `${content}.${base64Url(await clientMac(signingKey, content))}`, name, redirectUris };
}

/** Null for an id that none of the keys made. */
export async function findClient(signingKeys: readonly string[], id: string): Promise<Client | null> {
  if (id === TERMINAL_CLIENT) return { id, name: "belfry", redirectUris: [] };
  const [content = "", mac = ""] = id.length <= MAX_ID ? id.split(".") : [];
  const given = fromBase64Url(mac);
  const bytes = fromBase64Url(content);
  if (!given || !bytes) return null;
  for (const key of signingKeys) {
    if (!equalBytes(given, await clientMac(key, content))) continue;
    const { n: name, r: redirectUris } = Registered.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return { id, name, redirectUris };
  }
  return null;
}

const clientMac = (key: string, content: string) => hmac(key, `oauth-client ${content}`);

/**
 * The name on the page where a person decides: letters, digits and a few marks, so that it cannot hold an
 * address, an instruction in several lines, or text that runs the other way.
 */
export function plainName(text: string): string {
  const kept = text.normalize("NFKC").replace(/[^\p{L}\p{M}\p{N} ._()-]+/gu, " ");
  const name = kept.replace(/\s+/g, " ").trim();
  return [...name].slice(0, MAX_NAME).join("").trim() || "App without a name";
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.includes("#") || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return LOOPBACK.includes(url.hostname);
  const scheme = url.protocol.slice(0, -1);
  // Android's `intent` names any application, so no app owns it.
  return scheme !== "intent" && !isRefusedScheme(scheme) && /^[\w.+-]+:\/[\w.~/%?=&-]*$/.test(text);
}

/** Whether the client registered this address. The port of a loopback address is free (RFC 8252, 7.3). */
export function isRegistered({ redirectUris }: Client, uri: string): boolean {
  return redirectUris.some((known) => known === uri || withoutPort(known) === withoutPort(uri));
}

/** The address without the port of a loopback host; other addresses as they are. */
function withoutPort(uri: string): string {
  const url = URL.parse(uri);
  if (url?.protocol !== "http:" || !LOOPBACK.includes(url.hostname)) return uri;
  url.port = "";
  return url.href;
}
