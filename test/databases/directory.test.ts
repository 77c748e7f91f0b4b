import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test } from "vitest";
import { CONSOLE } from "../../src/console/catalog.ts";
import { bindingOf } from "../../src/db/databases.ts";
import { namedDatabase } from "../../src/http/named-database.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, signInLink } from "../console/console-browser.ts";
import { bindings } from "../support/queue.ts";
import { door, ORIGIN } from "../support/world.ts";

/** People and access live in the directory, whatever database an address names. */

const named = (database: number): string => `a.${btoa(JSON.stringify({ db: database })).replace(/=+$/, "")}.a`;

describe("an address that names a database", () => {
  const read = (path: string) => namedDatabase(new URL(`${ORIGIN}${path}`));

  test("is read under /connect and on the pages of approval links", ({ expect }) => {
    expect(read(`/connect/${named(1)}`)).toBe(1);
    expect(read(`/connect/${named(1)}/next`)).toBe(1);
    expect(read(`/connect/callback/facebook?code=x&state=${named(1)}`)).toBe(1);
    expect(read(`/console/approve/${named(2)}`)).toBe(2);
  });

  const others = CONSOLE.map(({ path }) => `/console${path.replace(/:\w+/g, "1")}`).filter(
    (path) => !path.startsWith("/console/approve/"),
  );
  test("is read nowhere else", ({ expect }) => {
    const doors = ["/", "/docs", "/healthz", "/mcp", "/oauth/token", "/oauth/device", "/internal/tokens"];
    const more = ["/api/v1/social/get-posts", "/webhooks/facebook", "/connections", "/unsubscribe/x"];
    for (const path of [...doors, ...more, ...others]) {
      expect(read(`${path}?state=${named(1)}`), path).toBeNull();
      expect(read(`${path}/${named(1)}`), path).toBeNull();
    }
  });
});

/** A database that nothing may read. */
const CLOSED = new Proxy(env.SPARE_1, {
  get: (_, name) => {
    throw new Error(`The database of a project was used (${String(name)}).`);
  },
});

describe("people and access", () => {
  beforeEach(() => void Object.assign(bindings, { [bindingOf(1)]: CLOSED }));
  afterEach(() => void Reflect.deleteProperty(bindings, bindingOf(1)));
  const state = `state=${encodeURIComponent(named(1))}`;

  test("a person signs in by a code", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    await signInLink({ email });
    const browser = newConsoleBrowser();
    const page = await browser.go(`${CONSOLE_URL}/sign-in?again=1&${state}`);
    const next = await browser.send(filled(formTo(page, "/sign-in"), { email }));
    const code = /your code is (\d+)/.exec(next.html)?.[1] ?? "";
    // The projects page, to which this leads, counts deletions in every database.
    await browser.send(filled(formTo(next, "/sign-in/code"), { code }), undefined, undefined, () => false);
    for (const path of ["/projects/new", "/account", "/device"])
      expect((await browser.go(`${CONSOLE_URL}${path}?${state}`)).status, path).toBe(200);
  });

  test("a terminal and an app request access", async ({ expect }) => {
    const send = async (path: string, body: URLSearchParams | string) =>
      (await door(new Request(`${ORIGIN}${path}?${state}`, { method: "POST", body }))).json<Record<string, string>>();
    const device = await send("/oauth/device", new URLSearchParams({ client_id: "belfry-terminal" }));
    expect(device).toHaveProperty("user_code");
    const app = await send("/oauth/register", JSON.stringify({ redirect_uris: ["https://agent.example/cb"] }));
    const browser = newConsoleBrowser();
    const link = await signInLink({ email: `${crypto.randomUUID()}@example.com` });
    await browser.send(formTo(await browser.go(link), new URL(link).pathname), undefined, undefined, () => false);
    const query = new URLSearchParams({
      client_id: String(app.client_id),
      response_type: "code",
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
      state: named(1),
    });
    const page = await browser.go(`${CONSOLE_URL}/authorize?${query}`);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining("You own no project")]);
    const token = await send("/oauth/token", new URLSearchParams({ grant_type: "authorization_code", code: "x" }));
    expect(token).toMatchObject({ error: "invalid_grant" });
  });
});
