import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { APPS } from "../../src/platforms/apps.ts";
import type { AppRegistration } from "../../src/platforms/platform-facts.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { createSend } from "../../src/platforms/request.ts";
import worker from "../../src/worker.ts";
import { resetSandbox } from "../support/clock.ts";
import { bindings } from "../support/queue.ts";
import { SANDBOX } from "../support/sandbox.ts";
import { call, ORIGIN } from "../support/world.ts";

const operator = { "X-Operator-Key": env.OPERATOR_KEY };
const Finding = z.object({ topic: z.string(), is_good: z.boolean(), message: z.string(), fix: z.string().nullable() });
const Report = z.object({
  public_origin: z.string(),
  migrations: z.array(z.string()),
  kv: z.null(),
  files: z.null(),
  has_banners: z.boolean(),
  ai: z.object({
    base_url: z.string().nullable(),
    chat_model: z.string().nullable(),
    image_model: z.string().nullable(),
    speech_model: z.string().nullable(),
    video_model: z.string().nullable(),
    lacking: z.array(z.string()),
  }),
  apps: z.array(
    z.object({
      platform: z.string(),
      is_sandbox: z.boolean(),
      is_set_up: z.boolean(),
      lacking: z.array(z.string()),
      redirect_uri: z.string(),
      scopes: z.array(z.string()),
      webhooks: z
        .object({ callback_url: z.string(), verify_token: z.string().nullable(), is_by_hand: z.boolean() })
        .loose()
        .nullable(),
      findings: z.array(Finding),
    }),
  ),
});

async function report(changes: object = {}) {
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/internal/doctor`, { headers: operator });
  const answer = await worker.fetch(request, { ...bindings, ...changes }, context);
  await waitOnExecutionContext(context);
  const text = await answer.text();
  return { text, ...Report.parse(JSON.parse(text)) };
}

const sandboxOptions = (app: AppRegistration) => app.sandbox.options ?? {};

/** Our app at the sandbox, which is called like the real one. */
async function simulated(platform: string, changes: object = {}) {
  const { apps } = await report(changes);
  const found = apps.find((app) => app.platform === platform && app.is_sandbox);
  if (!found) throw new Error(`The report lacks ${platform}.`);
  return found;
}

const APP_TOKEN = "100000000000001|sandbox-facebook-secret";

describe("the operator's report", () => {
  test("is closed to everybody else", async ({ expect }) => {
    expect(await call("GET", "/internal/doctor")).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("says that the Worker of banners is away", async ({ expect }) => {
    const gone = { ping: () => Promise.reject(new Error("Network connection lost.")) };
    expect((await report({ BANNERS: gone })).has_banners).toBe(false);
  });

  test("reports what is applied and, for every platform, the exact redirect address and scopes", async ({ expect }) => {
    const { migrations, apps, public_origin: origin, has_banners: hasBanners } = await report();
    expect(hasBanners).toBe(true);
    expect(migrations).toEqual(env.MIGRATIONS.map(({ name }) => name));
    expect(origin).toBe(ORIGIN);
    for (const platform of Object.values(platforms)) {
      const own = apps.filter((app) => app.platform === platform.name);
      expect(own.map((app) => app.is_set_up)).toEqual([false, true]);
      for (const app of own) {
        expect(app.redirect_uri).toBe(`${ORIGIN}/connect/callback/${platform.name}`);
        const options = app.is_sandbox ? sandboxOptions(APPS[platform.oauth.app]) : {};
        expect(app.scopes).toEqual(platform.oauth.scopesWith?.(options) ?? platform.oauth.scopes);
      }
      for (const { purpose, oauth } of platform.additionalLogins ?? []) {
        const further = apps.filter((app) => app.platform === `${platform.name}:${purpose}`);
        expect(further.map((app) => app.is_set_up)).toEqual([false, true]);
        for (const app of further) {
          expect(app.redirect_uri).toBe(`${ORIGIN}/connect/callback/${platform.name}/${purpose}/`);
          expect(app.scopes).toEqual(oauth.scopes);
        }
      }
    }
  });

  test("reports where each platform's webhooks go, and by which word, also without calling any platform", async ({
    expect,
  }) => {
    const { apps } = await report();
    const shown = apps.flatMap(
      ({ platform, is_sandbox, webhooks }) => webhooks && [{ platform, is_sandbox, ...webhooks }],
    );
    const listed = await call("GET", "/internal/webhooks", { headers: operator });
    expect(listed.body).toEqual({ status: true, webhooks: shown.filter((one) => one !== null) });
    for (const { name, webhooks } of Object.values(platforms)) {
      const own = apps.filter((app) => app.platform === name && app.is_sandbox).map((app) => app.webhooks);
      if (!webhooks) expect(own).toEqual([null]);
      else expect(own).toMatchObject([{ callback_url: `${ORIGIN}/webhooks/${name}/test` }]);
    }
    expect(await call("GET", "/internal/webhooks")).toMatchObject({ status: 404 });
  });

  test("reports where removed logins are reported to, also without calling any platform", async ({ expect }) => {
    const { body } = await call("GET", "/internal/callbacks", { headers: operator });
    const at = (name: string, ...ends: string[]) => ({
      platform: name,
      is_sandbox: true,
      urls: ends.map((end) => `${ORIGIN}/webhooks/${name}/test${end}`),
    });
    expect(body).toMatchObject({
      callbacks: expect.arrayContaining([
        at("facebook", "/deauthorize", "/delete-data"),
        at("instagram", "/deauthorize", "/delete-data"),
        at("threads", "/deauthorize", "/delete-data"),
        at("tiktok", ""),
      ]),
    });
    expect(await call("GET", "/internal/callbacks")).toMatchObject({ status: 404 });
  });

  test("reports the versions of the platforms' APIs with the days that are left by its clock", async ({ expect }) => {
    const { versions } = z
      .object({ versions: z.array(z.looseObject({ api: z.string(), days_left: z.number().nullable() })) })
      .parse((await call("GET", "/internal/doctor", { headers: operator })).body);
    const end = Date.parse("2027-09-16T00:00:00Z");
    const left = Math.floor((end - 1 - Date.now()) / 86_400_000);
    expect(versions.find(({ api }) => api === "LinkedIn API")).toMatchObject({ version: "202609", days_left: left });
    expect(versions.find(({ api }) => api === "Graph API")).toMatchObject({ version: "v27.0", days_left: null });
  });

  test("shows for a platform that is set up by hand the very word that its question is answered for", async ({
    expect,
  }) => {
    const { apps } = await report({ THREADS_APP_ID: "1", THREADS_APP_SECRET: "s" });
    const own = apps.filter(({ platform }) => platform === "threads").map(({ webhooks }) => webhooks);
    expect(own).toMatchObject([
      { callback_url: `${ORIGIN}/webhooks/threads`, is_by_hand: true },
      { callback_url: `${ORIGIN}/webhooks/threads/test`, is_by_hand: true },
    ]);
    expect(new Set(own.map((one) => one?.verify_token)).size).toBe(2);
    for (const one of own) {
      const requested = new URL(one?.callback_url ?? "");
      const question = { mode: "subscribe", challenge: "1158201444", verify_token: one?.verify_token ?? "" };
      for (const [name, value] of Object.entries(question)) requested.searchParams.set(`hub.${name}`, value);
      const context = createExecutionContext();
      const env = { ...bindings, THREADS_APP_ID: "1", THREADS_APP_SECRET: "s" };
      const answer = await worker.fetch(new Request(requested), env, context);
      await waitOnExecutionContext(context);
      expect([answer.status, await answer.text()]).toEqual([200, "1158201444"]);
    }
  });

  test("distinguishes half an app from none", async ({ expect }) => {
    const { apps } = await report({ X_CLIENT_ID: "x-id" });
    const real = apps.filter((app) => !app.is_sandbox);
    expect(Object.fromEntries(real.map(({ platform, lacking }) => [platform, lacking]))).toMatchObject({
      facebook: ["FACEBOOK_APP_ID", "FACEBOOK_APP_SECRET"],
      twitter: ["X_CLIENT_SECRET"],
    });
  });

  test("reports whether a model is set up, and what half of one lacks", async ({ expect }) => {
    const AI_BASE_URL = "https://models.example/v1/";
    const half = await report({ AI_BASE_URL });
    const none = { base_url: null, chat_model: null, image_model: null, speech_model: null, video_model: null };
    expect(half.ai).toEqual({ ...none, lacking: ["AI_API_KEY", "AI_CHAT_MODEL"] });
    const serverless = await report({ AI_VIDEO_MODEL: "film" });
    expect(serverless.ai).toEqual({ ...none, lacking: ["AI_BASE_URL", "AI_API_KEY"] });
    const whole = await report({ AI_BASE_URL, AI_API_KEY: "sk-models", AI_IMAGE_MODEL: "paint" });
    expect(whole.ai).toEqual({
      ...none,
      base_url: "https://models.example/v1",
      image_model: "paint",
      lacking: [],
    });
    expect(whole.text).not.toContain("sk-models");
  });

  test("holds no secret", async ({ expect }) => {
    const { text } = await report({ X_CLIENT_ID: "x-id", X_CLIENT_SECRET: "x-secret", SANDBOX_URL: "" });
    for (const secret of ["x-secret", env.OPERATOR_KEY, env.SIGNING_KEY, env.CREDENTIAL_KEYS]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("facebook's word on our app", () => {
  test("is good for the app that it knows", async ({ expect }) => {
    const { findings } = await simulated("facebook");
    expect(findings).toEqual([
      { topic: "credentials", is_good: true, message: 'Meta knows the app as "Belfry (simulated)".', fix: null },
      { topic: "webhooks", is_good: true, message: expect.any(String), fix: null },
    ]);
  });

  test("names webhooks that come here, and not those that go elsewhere", async ({ expect }) => {
    await subscribe("https://elsewhere.example/hook");
    const webhooks = async () => (await simulated("facebook")).findings[1];
    expect(await webhooks()).toMatchObject({ is_good: true, message: expect.stringContaining("no webhooks here") });
    await subscribe(`${ORIGIN}/inbound/facebook`);
    expect(await webhooks()).toMatchObject({
      topic: "webhooks",
      is_good: true,
      fix: null,
      message: expect.stringContaining("(page)"),
    });
    await resetSandbox();
  });

  test("names a redirect address that it does not know", async ({ expect }) => {
    const { findings } = await simulated("facebook", { PUBLIC_ORIGIN: "ftp://belfry.test" });
    const redirect = findings.find(({ topic }) => topic === "redirect");
    expect(redirect).toMatchObject({
      is_good: false,
      fix: expect.stringContaining("ftp://belfry.test/connect/callback/facebook"),
    });
  });

  test("is not good for a secret that is another app's", async ({ expect }) => {
    const send = createSend({ sandboxUrl: SANDBOX, fetch: (input, init) => env.SANDBOX.fetch(input, init) });
    const context = { send, app: { id: "100000000000001", secret: "of-another-app" }, now: Date.now() };
    const findings = await platforms.facebook?.oauth.setup.check?.(context, `${ORIGIN}/connect/callback/facebook`);
    expect(findings).toMatchObject([
      { topic: "credentials", isGood: false, fix: expect.stringContaining("App secret") },
    ]);
  });

  test("that cannot be had is reported as such, not as a wrong app", async ({ expect }) => {
    const { findings } = await simulated("facebook", { SANDBOX_URL: "http://sandbox.test/_nowhere" });
    expect(findings).toEqual([
      {
        topic: "credentials",
        is_good: false,
        message: expect.stringContaining("did not answer"),
        fix: expect.any(String),
      },
    ]);
  });
});

async function subscribe(callback: string): Promise<void> {
  const form = { object: "page", callback_url: callback, fields: "feed", verify_token: "v", access_token: APP_TOKEN };
  const url = "http://sandbox.test/graph.facebook.com/v27.0/100000000000001/subscriptions";
  const answer = await env.SANDBOX.fetch(url, { method: "POST", body: new URLSearchParams(form) });
  if (!answer.ok) throw new Error(await answer.text());
}
