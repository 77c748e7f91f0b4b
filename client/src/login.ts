import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";

/** How `belfry login` gets its token: a person allows it in the console (RFC 8628). */

export const CONFIG = join(process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "belfry", "config.json");
const CLIENT = "belfry-terminal";

export interface Connection {
  readonly url: string;
  readonly token: string;
}

export function storedConnection(): Partial<Connection> {
  try {
    return JSON.parse(readFileSync(CONFIG, "utf8"));
  } catch {
    return {};
  }
}

/** Only the owner of the file may read it, also where it exists already. */
export function storeConnection(connection: Connection): void {
  mkdirSync(dirname(CONFIG), { recursive: true, mode: 0o700 });
  writeFileSync(CONFIG, "", { mode: 0o600 });
  chmodSync(CONFIG, 0o600);
  writeFileSync(CONFIG, JSON.stringify(connection));
}

/** Gives the stored token up: the service revokes it. */
export async function logout(): Promise<void> {
  const { url, token } = storedConnection();
  if (url !== undefined && token !== undefined) await send(`${url}/oauth/revoke`, { token });
  rmSync(CONFIG, { force: true });
}

export interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/**
 * What is wrong with the address of a service; null if a token may be sent there. Plain http would show the
 * token to every network on the way, so only this machine is reached by it.
 */
export function addressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return `${text} is not an address such as https://belfry.example.com.`;
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLoopback)
    return `${text} must begin with https://: over http everyone on the way reads the token.`;
  return null;
}

/** Shows the code by `show`, and waits until the person has decided. Throws a sentence for the person. */
export async function requestToken(url: string, show: (code: DeviceCode) => void): Promise<string> {
  const code = await send<DeviceCode>(`${url}/oauth/device`, { client_id: CLIENT, client_name: hostname() });
  if (code.error !== undefined) throw new Error(code.error_description);
  show(code);
  let seconds = code.interval;
  const until = Date.now() + code.expires_in * 1_000;
  const body = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: CLIENT };
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const answer = await send<Granted>(`${url}/oauth/token`, { ...body, device_code: code.device_code }).catch(
      () => LOST,
    );
    if (answer.access_token !== undefined) return answer.access_token;
    if (answer.error === "slow_down") seconds += 5;
    // Without an answer, the next request repeats the question.
    else if (answer.error !== undefined && answer.error !== "authorization_pending")
      throw new Error(answer.error_description);
  }
  throw new Error("The code has expired. Sign in again.");
}

interface Granted {
  readonly access_token?: string;
}
interface Refused {
  readonly access_token?: undefined;
  readonly error: string;
  readonly error_description: string;
}
const LOST: Granted & { readonly error?: undefined } = {};

async function send<T>(
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<(T & { readonly error?: undefined }) | Refused> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const text = await response.text();
  if (response.status >= 500) throw new Error(`The service answered ${response.status}.`);
  return JSON.parse(text === "" ? "{}" : text);
}
