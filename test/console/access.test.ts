import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import type { Browser, Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { door, ORIGIN } from "../support/world.ts";
import {
  CONSOLE_URL,
  enterCode,
  filled,
  formTo,
  newAccount,
  newConsoleBrowser,
  newEmail,
  type Owned,
  owned,
  peek,
  post,
  proofOf,
  requestCode,
  signedIn,
} from "./console-browser.ts";

/** Terminals (RFC 8628) and apps (OAuth 2.1) that request a token from a person. */

const MINUTE = 60_000;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const TERMINAL = "belfry-terminal";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(path: string, fields: Readonly<Record<string, string>>, network = ""): Promise<Answer> {
  const headers = network === "" ? {} : { "CF-Connecting-IP": network };
  const init = { method: "POST", body: new URLSearchParams(fields), headers };
  const response = await door(new Request(`${ORIGIN}/oauth/${path}`, init));
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const Device = z.object({ device_code: z.string(), user_code: z.string(), verification_uri_complete: z.url() });
type Device = z.output<typeof Device>;

async function openDevice(fields: Readonly<Record<string, string>> = {}, network = ""): Promise<Device> {
  return Device.parse((await send("device", { client_id: TERMINAL, ...fields }, network)).body);
}

async function poll({ device_code }: Device, clientId = TERMINAL): Promise<Answer> {
  await advance(6_000);
  return send("token", { grant_type: DEVICE_GRANT, device_code, client_id: clientId });
}

async function enter(browser: Browser, code: string): Promise<Page> {
  const page = await browser.go(`${CONSOLE_URL}/device`);
  return browser.send(filled(formTo(page, "/device"), { code }));
}

const CHOICE = { task: "read", expiry: "days", days: "30", date: "" };

async function allow({ browser, id }: Pick<Owned, "browser" | "id">, page: Page, values = {}): Promise<Page> {
  const form = formTo(page, "/allow");
  return browser.send(filled(form, { ...CHOICE, project: String(id), ...values }), undefined, undefined, ({ host }) =>
    ORIGIN.endsWith(host),
  );
}

async function statusWith(token: unknown, path = "/api/v1/social/get-channels"): Promise<number> {
  const headers = { Authorization: `Bearer ${String(token)}` };
  return (await door(new Request(`${ORIGIN}${path}`, { headers }))).status;
}

describe("a terminal", () => {
  test("gets a token of the chosen project once a person allows it, once", async ({ expect }) => {
    const owner = await owned();
    const device = await openDevice({ client_name: "laptop.local" });
    expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect((await poll(device)).body).toMatchObject({ error: "authorization_pending" });
    const shown = await owner.browser.go(device.verification_uri_complete);
    expect(shown.html).toContain(device.user_code);
    const page = await owner.browser.send(formTo(shown, "/device"));
    expect(page.html).toContain("Give belfry on laptop.local access?");
    expect((await allow(owner, page)).html).toContain("belfry on laptop.local has access");
    const { status, body } = await poll(device);
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^blf_/),
        token_type: "Bearer",
        expires_in: expect.any(Number),
        scope: expect.stringContaining("social-read-posts"),
      },
    ]);
    expect(await statusWith(body.access_token)).toBe(200);
    expect((await poll(device)).body).toMatchObject({ error: "invalid_grant" });
    const tokens = await owner.browser.go(`${CONSOLE_URL}${owner.path}`);
    expect(tokens.html).toContain("belfry on laptop.local");
    expect(tokens.html).toContain(`by ${owner.email}`);
    const audit = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/audit`);
    expect(audit.html).toContain("/access/allow");
    await send("revoke", { token: String(body.access_token) });
    await advance(2_000);
    expect(await statusWith(body.access_token)).toBe(401);
  });

  test("may do what was allowed, and nothing else", async ({ expect }) => {
    const owner = await owned();
    const device = await openDevice({ scope: "social-read-posts social-view-post unknown" });
    const page = await enter(owner.browser, device.user_code.toLowerCase().replace("-", " "));
    expect(page.html).not.toContain('value="social-create-post"');
    const refused = await allow(owner, page, { task: "everything" });
    expect([refused.status, refused.html]).toEqual([
      422,
      expect.stringContaining("only permissions that were requested"),
    ]);
    const done = await allow(owner, refused, { task: "custom", permission: "social-view-post", expiry: "never" });
    expect(done.status).toBe(200);
    const { body } = await poll(device);
    expect(body).toMatchObject({ scope: "social-view-post" });
    expect(body).not.toHaveProperty("expires_in");
    expect(await statusWith(body.access_token)).toBe(403);
  });

  test("that polls too often has to slow down", async ({ expect }) => {
    const device = await openDevice();
    await poll(device);
    const again = { grant_type: DEVICE_GRANT, device_code: device.device_code, client_id: TERMINAL };
    expect((await send("token", again)).body).toMatchObject({ error: "slow_down" });
    await advance(6_000);
    expect((await send("token", again)).body).toMatchObject({ error: "slow_down" });
    await advance(16_000);
    expect((await send("token", again)).body).toMatchObject({ error: "authorization_pending" });
  });

  test("whose code has expired, was denied or is another client's gets nothing", async ({ expect }) => {
    const owner = await owned();
    const [late, denied] = [await openDevice(), await openDevice()];
    const page = await enter(owner.browser, denied.user_code);
    await owner.browser.send(formTo(page, "/deny"));
    expect((await poll(denied)).body).toMatchObject({ error: "access_denied" });
    expect((await poll(late, "another")).body).toMatchObject({ error: "invalid_grant" });
    await advance(10 * MINUTE);
    expect((await poll(late)).body).toMatchObject({ error: "expired_token" });
    const browser = await signedIn({ email: owner.email });
    expect((await enter(browser, late.user_code)).html).toContain("No terminal waits with this code");
  });

  test("is the one of the person who entered its code first", async ({ expect }) => {
    const [owner, other] = [await owned(), await owned()];
    const device = await openDevice();
    const page = await enter(owner.browser, device.user_code);
    expect((await enter(other.browser, device.user_code)).html).toContain("No terminal waits with this code");
    const path = new URL(page.url).pathname.replace("/console", "");
    expect((await peek(other.browser, path)).html).toContain("no longer open");
    const form = proofOf(await other.browser.go(`${CONSOLE_URL}/device`));
    const taken = await post(other.browser, `${path}/allow`, { ...CHOICE, form, project: String(other.id) });
    expect(taken.status).toBe(422);
    expect((await poll(device)).body).toMatchObject({ error: "authorization_pending" });
  });

  test("gets no token of a project that the person does not own, then or meanwhile", async ({ expect }) => {
    const [owner, other] = [await owned(), await owned()];
    const editor = await signedIn({ email: newEmail(), project: other.project.name, role: "editor" });
    const device = await openDevice();
    const page = await enter(owner.browser, device.user_code);
    expect((await allow(owner, page, { project: String(other.id) })).status).toBe(404);
    expect((await allow(owner, page)).status).toBe(200);
    await env.DB.prepare("UPDATE memberships SET role = 'editor' WHERE project_id = ?").bind(owner.id).run();
    expect((await poll(device)).body).toMatchObject({ error: "access_denied" });
    const lone = await enter(editor, (await openDevice()).user_code);
    expect(lone.html).toContain("You own no project");
    const form = proofOf(lone);
    const path = new URL(lone.url).pathname.replace("/console", "");
    expect((await post(editor, `${path}/allow`, { ...CHOICE, form, project: String(other.id) })).status).toBe(404);
  });

  test("is allowed only after a sign-in of the last ten minutes", async ({ expect }) => {
    const owner = await owned();
    const device = await openDevice();
    await advance(5 * MINUTE);
    const page = await enter(owner.browser, device.user_code);
    await advance(5 * MINUTE - 10_000);
    const path = new URL(page.url).pathname.replace("/console", "");
    await advance(10_000);
    for (const end of ["", "/allow"]) {
      const answer =
        end === ""
          ? await peek(owner.browser, path)
          : await post(owner.browser, `${path}${end}`, { ...CHOICE, form: proofOf(page), project: String(owner.id) });
      expect([answer.status, answer.url]).toEqual([
        303,
        expect.stringContaining("/console/sign-in?to=%2Fconsole%2Faccess"),
      ]);
    }
  });

  test("cannot be found by trying codes, nor filled with text", async ({ expect }) => {
    const owner = await owned();
    const device = await openDevice({
      client_name: `Belfry</h1>\n\u202e Go to https://evil.example/?x="1" ${"a".repeat(90)}`,
    });
    for (let attempt = 0; attempt < 10; attempt++) await enter(owner.browser, "BBBB-BBBB");
    const limited = await enter(owner.browser, device.user_code);
    expect([limited.status, limited.html]).toEqual([429, expect.stringContaining("too many codes")]);
    const other = await owned();
    const page = await enter(other.browser, device.user_code);
    const [, name = ""] = /<h1>Give (.*) access\?<\/h1>/.exec(page.html) ?? [];
    expect(name).toMatch(/^belfry on Belfry h1 Go to https evil.example x 1 a+$/);
    expect(name.length).toBeLessThanOrEqual(60);
  });

  test("is refused while its IPv6 /48 has too many open, in whichever spelling, and others are not", async ({
    expect,
  }) => {
    const spellings = (index: number) =>
      index % 2 === 0 ? `2001:db8:77:${index.toString(16)}::${index}` : `2001:0DB8:0077:0:0:${index}:0:1`;
    const open = async (network: string) => (await send("device", { client_id: TERMINAL }, network)).status;
    const answers: number[] = [];
    for (let index = 0; index < 66; index++) answers.push(await open(spellings(index)));
    expect([answers.filter((status) => status === 200).length, answers.at(-1)]).toEqual([60, 429]);
    expect([await open("2001:db8:78::1"), await open("2001:db8:77::")]).toEqual([200, 429]);
  });

  test("is refused while its network has too many open", async ({ expect }) => {
    const network = "203.0.113.9";
    for (let index = 0; index < 60; index++) await openDevice({}, network);
    expect(await send("device", { client_id: TERMINAL }, network)).toMatchObject({ status: 429 });
    expect(await send("device", { client_id: TERMINAL }, "203.0.113.10")).toMatchObject({ status: 200 });
    expect(await send("device", { client_id: "unknown" })).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
  });
});

const CALLBACK = "https://agents.example/callback";
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async function register(metadata: object): Promise<Answer> {
  const init = { method: "POST", body: JSON.stringify(metadata), headers: { "Content-Type": "application/json" } };
  const response = await door(new Request(`${ORIGIN}/oauth/register`, init));
  return { status: response.status, body: await response.json() };
}

async function newClient(uri = CALLBACK): Promise<string> {
  const { body } = await register({ client_name: "Agent One", redirect_uris: [uri] });
  return z.string().parse(body.client_id);
}

const authorizePath = (clientId: string, query: Readonly<Record<string, string>> = {}) =>
  `/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    state: "its state",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: `${ORIGIN}/mcp`,
    ...query,
  })}`;

/** Allows the app in the owner's browser; returns the query of the address to which the person is sent. */
async function codeFor(owner: Owned, clientId: string, values = {}): Promise<URLSearchParams> {
  const page = await owner.browser.go(`${CONSOLE_URL}${authorizePath(clientId)}`);
  return new URL((await allow(owner, page, values)).url).searchParams;
}

const exchange = (clientId: string, code: string, fields: Readonly<Record<string, string>> = {}) =>
  send("token", {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: VERIFIER,
    redirect_uri: CALLBACK,
    ...fields,
  });

describe("an app", () => {
  test("learns from /mcp where to sign in, and registers itself", async ({ expect }) => {
    const refused = await door(new Request(`${ORIGIN}/mcp`, { method: "POST", body: "{}" }));
    const [, address = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("WWW-Authenticate") ?? "") ?? [];
    expect(refused.status).toBe(401);
    const read = async (url: string) => (await door(new Request(url))).json();
    expect(await read(address)).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
    expect(await read(`${ORIGIN}/.well-known/oauth-authorization-server`)).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${CONSOLE_URL}/authorize`,
      code_challenge_methods_supported: ["S256"],
    });
    expect((await register({ client_name: "A", redirect_uris: [CALLBACK] })).status).toBe(201);
    for (const uri of [
      "http://elsewhere.example/",
      "javascript:alert(1)",
      "https://a.example/#part",
      "data:text/html,x",
    ])
      expect((await register({ redirect_uris: [uri] })).body, uri).toMatchObject({ error: "invalid_redirect_uri" });
    for (const uri of ["http://127.0.0.1:1/cb", "http://localhost/cb", "cursor://app.cursor/oauth/callback"])
      expect((await register({ redirect_uris: [uri] })).status, uri).toBe(201);
  });

  test("gets a token by a code with PKCE; the code works once, and its reuse revokes the token", async ({ expect }) => {
    const owner = await owned();
    const clientId = await newClient();
    const page = await owner.browser.go(`${CONSOLE_URL}${authorizePath(clientId)}`);
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' https://agents.example;");
    expect(page.html).toContain("agents.example");
    const query = await codeFor(owner, clientId);
    expect([query.get("state"), query.get("iss")]).toEqual(["its state", ORIGIN]);
    const code = query.get("code") ?? "";
    const wrong = [{ code_verifier: "x".repeat(43) }, { redirect_uri: "https://agents.example/" }, { client_id: "x" }];
    for (const fields of wrong)
      expect((await exchange(clientId, code, fields)).body).toMatchObject({ error: "invalid_grant" });
    expect((await exchange(clientId, code, { resource: "https://other.example/mcp" })).body).toMatchObject({
      error: "invalid_target",
    });
    const { body } = await exchange(clientId, code);
    expect(await statusWith(body.access_token)).toBe(200);
    expect((await exchange(clientId, code)).body).toMatchObject({ error: "invalid_grant" });
    await advance(2_000);
    expect(await statusWith(body.access_token)).toBe(401);
  });

  test("whose code is used twice at once gets one token at most", async ({ expect }) => {
    const owner = await owned();
    const clientId = await newClient();
    const code = (await codeFor(owner, clientId)).get("code") ?? "";
    const answers = await Promise.all([exchange(clientId, code), exchange(clientId, code), exchange(clientId, code)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("gets its denial, and no code after a minute", async ({ expect }) => {
    const owner = await owned();
    const clientId = await newClient();
    const page = await owner.browser.go(`${CONSOLE_URL}${authorizePath(clientId)}`);
    const sent = await owner.browser.send(formTo(page, "/deny"), undefined, undefined, ({ host }) =>
      ORIGIN.endsWith(host),
    );
    expect(sent.url).toBe(`${CALLBACK}?error=access_denied&state=its+state&iss=${encodeURIComponent(ORIGIN)}`);
    const code = (await codeFor(owner, clientId)).get("code") ?? "";
    await advance(MINUTE);
    expect((await exchange(clientId, code)).body).toMatchObject({ error: "invalid_grant" });
  });

  test("is refused on our page, without a redirect, if its request is not valid", async ({ expect }) => {
    const [owner, clientId] = [await owned(), await newClient()];
    const cases = [
      authorizePath(`${clientId}x`),
      authorizePath(TERMINAL),
      authorizePath(clientId, { redirect_uri: "https://agents.example/callback/more" }),
      authorizePath(clientId, { response_type: "token" }),
      authorizePath(clientId, { code_challenge_method: "plain" }),
      authorizePath(clientId, { code_challenge: "short" }),
      authorizePath(clientId, { resource: "https://other.example/mcp" }),
    ];
    for (const path of cases) {
      const page = await peek(owner.browser, path);
      expect([page.status, page.html]).toEqual([200, expect.stringContaining("cannot request access")]);
    }
  });

  test("returns to any port of a loopback address that it registered", async ({ expect }) => {
    const owner = await owned();
    const clientId = await newClient("http://127.0.0.1/callback");
    const uri = (port: number, path = "callback") => ({ redirect_uri: `http://127.0.0.1:${port}/${path}` });
    const page = await owner.browser.go(`${CONSOLE_URL}${authorizePath(clientId, uri(53_682))}`);
    expect(page.html).toContain("127.0.0.1:53682");
    expect((await peek(owner.browser, authorizePath(clientId, uri(53_682, "other")))).html).toContain("cannot request");
  });

  test("stores nothing before a person answers, and is answered once", async ({ expect }) => {
    const clientId = await newClient();
    const query = { scope: PERMISSIONS.slice(0, -1).join(" "), state: "s".repeat(2_000) };
    const count = () => env.DB.prepare("SELECT count(*) AS rows FROM access_requests").first("rows");
    const before = await count();
    const stranger = newConsoleBrowser();
    for (let index = 0; index < 70; index++) await peek(stranger, authorizePath(clientId));
    const person = await newAccount();
    const waiting = await stranger.go(`${CONSOLE_URL}${authorizePath(clientId, query)}`);
    expect([waiting.url.includes("/console/sign-in?to="), await count()]).toEqual([true, before]);
    const to = new URL(waiting.url).searchParams.get("to") ?? "";
    const { page, code } = await requestCode(stranger, person, to);
    const shown = await enterCode(stranger, page, code);
    expect([shown.url, shown.html]).toEqual([`${ORIGIN}${to}`, expect.stringContaining("Agent One")]);
    const deny = formTo(shown, "/deny");
    const isOurs = ({ host }: URL) => ORIGIN.endsWith(host);
    const answers = [];
    for (let index = 0; index < 2; index++) answers.push(await stranger.send(deny, undefined, undefined, isOurs));
    expect(answers.map(({ url }) => url.startsWith(CALLBACK))).toEqual([true, false]);
    expect(await count()).toBe(Number(before) + 1);
    expect((await stranger.go(`${CONSOLE_URL}/access/${to.split("/").at(-1)?.slice(0, -2)}AA`)).status).toBe(200);
  });

  test("of a person who is not signed in waits for the sign-in", async ({ expect }) => {
    const page = await newConsoleBrowser().go(`${CONSOLE_URL}${authorizePath(await newClient())}`);
    expect(page.url).toContain("/console/sign-in?to=%2Fconsole%2Faccess%2F");
  });
});
