import { networksOf } from "../core/networks.ts";
import { PERMISSIONS, type Permission } from "../core/permissions.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Deps } from "../service/deps.ts";
import { type Client, findClient, isRegistered, plainName, TERMINAL_CLIENT } from "./clients.ts";
import { sealRequest } from "./sealed-request.ts";
import { insertTerminal, newSecret, REQUEST_LIFE_MS } from "./store.ts";
import { newUserCode, userCodeHash } from "./user-code.ts";

/** Where a request comes from. */
export interface Sender {
  /** Of the network; empty if unknown. */
  readonly address: string;
  /** City and country; empty if unknown. */
  readonly place: string;
}

const originOf = ({ address, place }: Sender): string => [address, place].filter((part) => part !== "").join(", ");

const hashed = async (network: string): Promise<string> => (network === "" ? "" : sha256Hex(network));

/** The permissions that a scope names; every one if it names none that exists. */
function permissionsIn(scope: string): readonly Permission[] {
  const words = scope.split(/\s+/);
  const named = PERMISSIONS.filter((permission) => words.includes(permission));
  return named.length > 0 ? named : PERMISSIONS;
}

export type OpenedDevice = "unknown_client" | "too_many" | { readonly deviceCode: string; readonly userCode: string };

/** A terminal requests access. `name` is what the `belfry` command says about its machine. */
export async function openDeviceRequest(
  { directory: db, config }: Deps,
  request: { readonly clientId: string; readonly name: string; readonly scope: string; readonly sender: Sender },
  now: number,
): Promise<OpenedDevice> {
  const client = await findClient(config.checksumKeys, request.clientId);
  if (!client) return "unknown_client";
  const [deviceCode, userCode] = [newSecret(), newUserCode()];
  const isNamed = client.id === TERMINAL_CLIENT && request.name !== "";
  const { site, region } = networksOf(request.sender.address);
  const isOpened = await insertTerminal(
    db,
    {
      userCodeHash: await userCodeHash(config.signingKey, userCode),
      codeHash: await sha256Hex(deviceCode),
      clientHash: await sha256Hex(client.id),
      clientName: isNamed ? plainName(`${client.name} on ${request.name}`) : client.name,
      requested: permissionsIn(request.scope),
      network: await hashed(site),
      region: await hashed(region),
      origin: originOf(request.sender),
    },
    now,
  );
  return isOpened ? { deviceCode, userCode } : "too_many";
}

/** The query of an authorization request (OAuth 2.1). */
export type AuthorizeQuery = Readonly<Record<string, string>>;

export type OpenedApp =
  /**
   * The page says what is wrong. The person is not sent on: everyone may register an app, and could lead
   * people to any address by a link of this service.
   */
  { readonly kind: "refused"; readonly error: AuthorizeError } | { readonly kind: "opened"; readonly secret: string };

export type AuthorizeError =
  | "unknown_client"
  | "bad_address"
  | "unsupported_response_type"
  | "invalid_request"
  | "invalid_target";

/** An app sends a person to us. Nothing is stored. `issuer` is our public address. */
export async function openAppRequest(
  { sealer, config }: Pick<Deps, "sealer" | "config">,
  { query, issuer, sender }: { readonly query: AuthorizeQuery; readonly issuer: string; readonly sender: Sender },
  now: number,
): Promise<OpenedApp> {
  const client = await findClient(config.checksumKeys, query.client_id ?? "");
  const refuse = (error: AuthorizeError) => ({ kind: "refused", error }) as const;
  if (!client) return refuse("unknown_client");
  const redirectUri = addressOf(client, query.redirect_uri);
  if (redirectUri === null) return refuse("bad_address");
  if (query.response_type !== "code") return refuse("unsupported_response_type");
  const { code_challenge: codeChallenge = "", code_challenge_method: method, state = null, resource } = query;
  if (method !== "S256" || !/^[\w-]{43}$/.test(codeChallenge) || (state?.length ?? 0) > MAX_STATE) {
    return refuse("invalid_request");
  }
  if (!isThisService(resource, issuer)) return refuse("invalid_target");
  const secret = await sealRequest(sealer, {
    clientHash: await sha256Hex(client.id),
    clientName: client.name,
    redirectUri,
    clientState: state,
    codeChallenge,
    requested: permissionsIn(query.scope ?? ""),
    origin: originOf(sender),
    expiresAt: now + REQUEST_LIFE_MS,
  });
  return { kind: "opened", secret };
}

const MAX_STATE = 2_000;

/** Left out where the client has only one. */
function addressOf(client: Client, given: string | undefined): string | null {
  const [only, ...others] = client.redirectUris;
  if (given === undefined) return only !== undefined && others.length === 0 ? only : null;
  return isRegistered(client, given) ? given : null;
}

/** Whether a token for this resource (RFC 8707) is one of this service; none is named: it is. */
export function isThisService(resource: string | undefined, issuer: string): boolean {
  return resource === undefined || URL.parse(resource)?.origin === new URL(issuer).origin;
}

/** The client's address with the answer, its state, and who answers (RFC 9207). */
export function answerAddress(
  client: { readonly redirectUri: string; readonly clientState: string | null },
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(client.redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (client.clientState !== null) url.searchParams.set("state", client.clientState);
  url.searchParams.set("iss", issuer);
  return url.href;
}
