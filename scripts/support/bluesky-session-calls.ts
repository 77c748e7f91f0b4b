import { type BlueskyServer, type Flaws, hash, type ServerAnswer, SigningClient } from "./bluesky-client.ts";

/** Calls by which a client signs in, proves who it is, renews and ends its session (bluesky-calls.ts). */

const SCOPE = "atproto transition:generic";
/** A server takes each challenge once. */
const newVerifier = () => `a-verifier-that-is-long-enough-${crypto.randomUUID()}`;
export interface Run {
  readonly server: BlueskyServer;
  record(name: string, answer: ServerAnswer): ServerAnswer;
}

export interface Session {
  readonly client: SigningClient;
  readonly code: string;
  readonly verifier: string;
  readonly access: string;
  readonly refresh: string;
}

const pushed = ({ client }: BlueskyServer, challenge: string) => ({
  response_type: "code",
  redirect_uri: client.redirectUri,
  scope: SCOPE,
  state: "s",
  code_challenge: challenge,
  code_challenge_method: "S256",
});

export async function askToSignIn({ server, record }: Run): Promise<void> {
  const client = await SigningClient.of(server);
  const right = pushed(server, await hash(newVerifier()));
  const push = async (name: string, change: Record<string, string> = {}, flaws: Flaws = {}) =>
    record(`a request to sign in ${name}`, await client.form("/oauth/par", { ...right, ...change }, flaws));
  await push("without a nonce", {}, { nonce: null });
  await push("without a proof", {}, { isUnproven: true });
  await push("without an assertion", {}, { isUnidentified: true });
  await push("with an assertion for the endpoint", {}, { aud: `${server.origin}/oauth/par` });
  await push("with another callback", { redirect_uri: "https://elsewhere.example.com/callback" });
  await push("without a challenge", { code_challenge: "" });
  await push("with an unknown scope", { scope: "atproto transition:unknown" });
  await push("without the scope atproto", { scope: "transition:generic" });
  await push("for an unknown handle", { login_hint: "nobody.bsky.social" });
  await push("that is right");
  await push("with an assertion used before", {}, { assertion: client.assertion });
}

export async function signIn(run: Run): Promise<Session> {
  const { server, record } = run;
  const verifier = newVerifier();
  const { client, code } = await allow(run, verifier);
  const answer = record("a code", await client.form("/oauth/token", redeem(server, code, verifier)));
  const [access, refresh] = [textOf(answer.body, "access_token"), textOf(answer.body, "refresh_token")];
  return { client, code, verifier, access, refresh };
}

async function allow({ server, record }: Run, verifier: string) {
  const client = await SigningClient.of(server);
  const fields = pushed(server, await hash(verifier));
  await client.form("/oauth/par", fields, { nonce: null });
  const { body } = await client.form("/oauth/par", fields);
  const query = new URLSearchParams({ client_id: server.client.id, request_uri: textOf(body, "request_uri") });
  const back = new URL(await server.authorize(`${server.origin}/oauth/authorize?${query}`)).searchParams;
  const returned = Object.fromEntries([...back].map(([name, value]) => [name, name === "code" ? "…" : value]));
  record("what leads back", { status: 303, headers: {}, body: returned });
  return { client, code: back.get("code") ?? "" };
}

const redeem = ({ client }: BlueskyServer, code: string, verifier: string) => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: client.redirectUri,
  code_verifier: verifier,
});

export const getSession = ({ client }: Session, token: string, flaws: Flaws = {}) =>
  client.call("GET", "com.atproto.server.getSession", token, { flaws });

export async function useCodeTwice(run: Run): Promise<void> {
  const { server, record } = run;
  const session = await signIn(run);
  const { client, code, verifier } = session;
  const use = async (name: string, one: string, by = client) =>
    record(name, await by.form("/oauth/token", redeem(server, one, verifier)));
  await use("an unknown code", `cod-${"0".repeat(64)}`);
  await use("a code used twice", code);
  record("a token after its code was used twice", await getSession(session, session.access));
  const again = await allow(run, verifier);
  await use("a code for a challenge used before", again.code, again.client);
}

export async function prove({ server, record }: Run, session: Session): Promise<void> {
  const { client, access } = session;
  const ask = async (name: string, flaws: Flaws = {}, token = access) =>
    record(`a call ${name}`, await getSession(session, token, flaws));
  await ask("that is right");
  await ask("with a proof used before", { proof: client.proof });
  await ask("without a nonce", { nonce: null });
  await ask("with a nonce of long ago", { nonce: "bm90IGEgbm9uY2Ugb2YgdGhpcyBzZXJ2ZXI" });
  await ask("without a proof", { isUnproven: true });
  await ask("with a proof for another address", { htu: `${server.origin}/xrpc/other` });
  await ask("with a proof without the token", { ath: null });
  await ask("with the token as a bearer", { scheme: "Bearer" });
  await ask("with another token", {}, "tok-0123456789");
  record(
    "a call without a token",
    await client.call("GET", "com.atproto.server.getSession", null, { flaws: { isUnproven: true } }),
  );
  const other = await SigningClient.of(server);
  await other.call("GET", "com.atproto.server.getSession", access);
  record("a call with another key", await other.call("GET", "com.atproto.server.getSession", access));
}

export async function renew({ record }: Run, session: Session): Promise<void> {
  const { client } = session;
  const refresh = (refresh_token: string) =>
    client.form("/oauth/token", { grant_type: "refresh_token", refresh_token });
  record("an unknown renewal", await refresh(`ref-${"0".repeat(64)}`));
  const renewed = record("a renewal", await refresh(session.refresh));
  record("the access token before a renewal", await getSession(session, session.access));
  record("the access token after a renewal", await getSession(session, textOf(renewed.body, "access_token")));
  record("a renewal used twice", await refresh(session.refresh));
  record("a token after a renewal used twice", await getSession(session, textOf(renewed.body, "access_token")));
}

export async function endSession(run: Run): Promise<void> {
  const { record } = run;
  const session = await signIn(run);
  const token = session.refresh;
  record("a revocation without a proof", await session.client.form("/oauth/revoke", { token }, { isUnproven: true }));
  record("a token after a revocation without a proof", await getSession(session, session.access));
  record("a revocation", await session.client.form("/oauth/revoke", { token }));
  record("a token after a revocation", await getSession(session, session.access));
}

export function textOf(body: unknown, name: string): string {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== "string") throw new Error(`No ${name} in ${JSON.stringify(body)}`);
  return value;
}
