import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import { formsOf, type Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { call, door, ORIGIN } from "../support/world.ts";
import {
  CONSOLE_URL,
  filled,
  formTo,
  newEmail,
  type Owned,
  owned,
  post,
  proofOf,
  signedIn,
} from "./console-browser.ts";

const MINUTE = 60_000;

async function create(owner: Owned, values: Readonly<Record<string, string>>): Promise<Page> {
  const page = await owner.browser.go(`${CONSOLE_URL}${owner.path}/new`);
  const usual = { name: "Website", task: "publish", expiry: "never", days: "", date: "" };
  return owner.browser.send(filled(formTo(page, "/tokens"), { ...usual, ...values }));
}

const tokenOn = ({ html }: Page): string => /blf_[0-9A-Za-z]{42}/.exec(html)?.[0] ?? "";
const text = (html: string) => html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

const Tokens = z.array(
  z.object({
    name: z.string(),
    permissions: z.string(),
    expires_at: z.number().nullable(),
    created_by: z.string().nullable(),
    last_used_at: z.number().nullable(),
  }),
);
async function stored({ id }: Owned, name: string) {
  const rows = await env.DB.prepare("SELECT * FROM tokens WHERE project_id = ? AND name = ?").bind(id, name).all();
  return Tokens.parse(rows.results)[0];
}

describe("a token that is created in the console", () => {
  test("is shown once, and works as the curl command that is shown with it", async ({ expect }) => {
    const owner = await owned();
    const page = await create(owner, { name: "Website" });
    const [, url = "", header = ""] = /curl '([^']+)' -H '([^']+)'/.exec(text(page.html)) ?? [];
    const [name = "", value = ""] = header.split(": ");
    const answer = await door(new Request(url, { headers: { [name]: value } }));
    expect([answer.status, tokenOn(page)]).toEqual([200, value.replace("Bearer ", "")]);
    const again = await owner.browser.go(page.url);
    expect(again.html).toContain("Website");
    expect(tokenOn(again)).toBe("");
    expect((await stored(owner, "Website"))?.created_by).toBe(owner.email);
  });

  test.for([
    ["publish", "add-channels,social-read-posts,social-create-post,social-view-post,social-delete-post"],
    ["everything", PERMISSIONS.join(",")],
  ] as const)("for the task %s has its permissions", async ([task, permissions], { expect }) => {
    const owner = await owned();
    await create(owner, { task });
    expect(JSON.parse((await stored(owner, "Website"))?.permissions ?? "[]")).toEqual(permissions.split(","));
  });

  test.for(["publish", "read", "bots", "boosts", "everything"])(
    "for %s has a curl that works",
    async (task, { expect }) => {
      const page = await create(await owned(), { task });
      const [, url = ""] = /curl '([^']+)'/.exec(text(page.html)) ?? [];
      expect((await call("GET", url, { token: tokenOn(page) })).status).toBe(200);
    },
  );

  test("has the permissions that are chosen one by one, at least one", async ({ expect }) => {
    const owner = await owned();
    await create(owner, { task: "custom", permission: "manage-webhooks" });
    expect((await stored(owner, "Website"))?.permissions).toBe('["manage-webhooks"]');
    const refused = await create(owner, { task: "custom", name: "None" });
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining("Choose at least one permission.")]);
    expect(refused.html).toContain('value="None"');
  });

  test("expires after days, or with the day in the zone of the project", async ({ expect }) => {
    const owner = await owned("Asia/Tokyo");
    await create(owner, { name: "Days", expiry: "days", days: "30" });
    const inDays = ((await stored(owner, "Days"))?.expires_at ?? 0) - Date.now();
    expect(Math.round(inDays / MINUTE)).toBe(30 * 1440);
    await create(owner, { name: "Date", expiry: "date", date: "2027-03-05" });
    expect((await stored(owner, "Date"))?.expires_at).toBe(Date.parse("2027-03-06T00:00:00+09:00"));
    for (const values of [
      { expiry: "days", days: "0" },
      { expiry: "days", days: "x" },
      { expiry: "date", date: "2001-01-01" },
      { expiry: "date", date: "2027-02-30" },
    ]) {
      expect((await create(owner, { ...values, name: "Refused" })).status).toBe(422);
    }
    expect(await stored(owner, "Refused")).toBeUndefined();
  });

  test("is revoked within two seconds, and its last use is listed", async ({ expect }) => {
    const owner = await owned();
    const page = await create(owner, {});
    const token = tokenOn(page);
    const status = async () => (await call("GET", "/social/get-channels", { token })).status;
    expect(await status()).toBe(200);
    await expect.poll(async () => (await stored(owner, "Website"))?.last_used_at ?? 0).toBeGreaterThan(0);
    const list = await owner.browser.go(`${CONSOLE_URL}${owner.path}`);
    expect(list.html).toMatch(/Last used: <time/);
    const [revoke] = formsOf(list).filter(({ action }) => action.endsWith("/revoke"));
    expect(revoke).toBeDefined();
    if (revoke) await owner.browser.send(revoke);
    await advance(2_000);
    expect(await status()).toBe(401);
    expect((await owner.browser.go(`${CONSOLE_URL}${owner.path}`)).html).toContain("1 revoked or expired");
  });

  test("of another project cannot be revoked", async ({ expect }) => {
    const [owner, other] = [await owned(), await owned()];
    const token = tokenOn(await create(other, {}));
    const list = await other.browser.go(`${CONSOLE_URL}${other.path}`);
    const [, id] = /tokens\/(\d+)\/revoke/.exec(list.html) ?? [];
    const form = proofOf(await owner.browser.go(`${CONSOLE_URL}/account`));
    expect((await post(owner.browser, `${owner.path}/${id}/revoke`, { form })).status).toBe(404);
    expect((await post(owner.browser, `${other.path}/${id}/revoke`, { form })).status).toBe(404);
    expect((await call("GET", "/social/get-channels", { token })).status).toBe(200);
  });

  test("needs a sign-in of the last ten minutes", async ({ expect }) => {
    const owner = await owned();
    const page = await owner.browser.go(`${CONSOLE_URL}${owner.path}/new`);
    await advance(11 * MINUTE);
    const form = filled(formTo(page, "/tokens"), { name: "Late", task: "read", expiry: "never" });
    const answer = await owner.browser.send(form);
    expect(answer.url).toContain("/sign-in?to=");
    expect(answer.html).toContain("Confirm that it is you");
    expect(await stored(owner, "Late")).toBeUndefined();
    const next = await owner.browser.send(filled(formTo(answer, "/sign-in"), { email: owner.email }));
    const code = /your code is (\d{6})/.exec(next.html)?.[1] ?? "";
    const back = await owner.browser.send(filled(formTo(next, "/sign-in/code"), { code }));
    expect(back.url).toBe(`${CONSOLE_URL}${owner.path}/new`);
  });
});

describe("pages", () => {
  test("a project without tokens offers to create the first one", async ({ expect }) => {
    const browser = await signedIn({ email: newEmail() });
    const page = await browser.go(`${CONSOLE_URL}/projects/new`);
    const values = { name: "My brand", kind: "test", time_zone: "Europe/Berlin" };
    const opened = await browser.send(filled(formTo(page, "/projects"), values));
    expect(opened.url).toMatch(/\/tokens$/);
    expect(opened.html).toContain("Create the first token");
    expect(opened.html).toContain("Test project: platforms are simulated");
  });

  test("markup in names is text", async ({ expect }) => {
    const owner = await owned();
    const name = `<img src=x onerror=alert(1)>"'`;
    await create(owner, { name });
    const page = await owner.browser.go(`${CONSOLE_URL}${owner.path}`);
    expect(page.html).not.toContain("<img");
    expect(page.html).toContain("&lt;img src=x");
    expect(page.headers.get("Content-Security-Policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.headers.get("Cache-Control")).toBe("no-store");
  });

  test("a new time zone of the project counts for its tokens", async ({ expect }) => {
    const owner = await owned();
    const page = await owner.browser.go(`${CONSOLE_URL}/projects/${owner.id}/settings`);
    const values = { name: owner.project.name, time_zone: "Asia/Tokyo" };
    expect((await owner.browser.send(filled(formTo(page, "/settings"), values))).html).toContain("settings are saved");
    const token = tokenOn(await create(owner, {}));
    const zones = await Promise.all(
      [token, owner.project.token].map(async (one) => {
        const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(one));
        const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
        return z.object({ timeZone: z.string() }).parse(await env.KV.get(`token:${hex}`, "json")).timeZone;
      }),
    );
    expect(zones).toEqual(["Asia/Tokyo", "Asia/Tokyo"]);
  });

  test("the address of the service leads to the console", async ({ expect }) => {
    const answer = await door(new Request(`${ORIGIN}/`));
    expect(answer.headers.get("Location")).toBe("/console");
  });
});

describe("the limit of 200 valid tokens", () => {
  /** Rows of tokens that were never delivered; those that expired do not count. */
  const addTokens = (id: number, count: number, expiresAt: number | null) =>
    env.DB.prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       INSERT INTO tokens (project_id, name, hash, hint, checksum_key, permissions, expires_at, created_at)
       SELECT ?1, 'Filler', 'filler-' || ?1 || '-' || ?2 || '-' || n, 'blf_', '', '[]', ?3, 1 FROM numbers`,
    )
      .bind(id, count, expiresAt)
      .run();

  test("holds for concurrent requests, and counts neither expired nor revoked ones", async ({ expect }) => {
    const owner = await owned();
    await addTokens(owner.id, 197, null);
    await addTokens(owner.id, 50, Date.now() - 1);
    // Two more are free: the project began with one token, and gets one here.
    const page = await create(owner, { name: "Last but one" });
    expect(page.status).toBe(200);
    const form = proofOf(await owner.browser.go(`${CONSOLE_URL}/account`));
    const fields = { form, name: "Race", task: "read", expiry: "never", days: "", date: "" };
    const answers = await Promise.all([1, 2, 3].map(() => post(owner.browser, owner.path, fields)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 429, 429]);
    const refused = await create(owner, { name: "One more" });
    expect([refused.status, text(refused.html)]).toEqual([429, expect.stringContaining("has 200 valid tokens")]);
    const operator = { headers: { "X-Operator-Key": env.OPERATOR_KEY }, body: { project: owner.project.name } };
    expect(await call("POST", "/internal/tokens", operator)).toMatchObject({
      status: 429,
      body: { code: "quota_exceeded" },
    });
    const count = "SELECT count(*) AS n FROM tokens WHERE project_id = ? AND expires_at IS NULL";
    expect(await env.DB.prepare(count).bind(owner.id).first("n")).toBe(200);
    const list = await owner.browser.go(`${CONSOLE_URL}${owner.path}`);
    await owner.browser.send(formTo(list, "/revoke"));
    expect((await create(owner, { name: "After a revocation" })).status).toBe(200);
  });
});
