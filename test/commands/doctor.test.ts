import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { listenLocally } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { REQUIRED_SECRETS } from "../../scripts/support/secrets-file.ts";
import { MIGRATIONS } from "../../src/doctor/migrations.ts";
import { fakeCloudflare } from "./cloudflare.ts";
import { npmRun, type Ran } from "./command.ts";
import { testScope } from "./test-scope.ts";

const migrations = readdirSync(join(ROOT, "migrations")).filter((name) => name.endsWith(".sql"));
const QUEUES = ["jobs", "media", "replies", "generation", "campaigns", "hooks", "jobs-dead"].map(
  (name) => `belfry-${name}`,
);
const KEY = "the-operator-key-of-the-deployed-one";

const NO_MODELS = { base_url: null, chat_model: null, image_model: null, speech_model: null, video_model: null };

const facebook = {
  platform: "facebook",
  is_sandbox: false,
  is_set_up: true,
  variables: ["FACEBOOK_APP_ID", "FACEBOOK_APP_SECRET"],
  lacking: [],
  site: "developers.facebook.com/apps",
  redirect_uri: "https://belfry.example.com/connect/callback/facebook",
  redirect_setting: "Valid OAuth Redirect URIs",
  scopes: ["pages_show_list"],
  scopes_setting: "App Review",
  apis: null,
  webhooks: {
    callback_url: "https://belfry.example.com/webhooks/facebook",
    verify_token: "0123456789abcdef",
    fields: ["feed"],
    setting: "Webhooks",
    is_by_hand: false,
  },
  can_be_asked: true,
  findings: [{ topic: "credentials", is_good: true, message: 'Meta knows the app as "Planner".', fix: null }],
};

const threads = {
  ...facebook,
  platform: "threads",
  webhooks: { ...facebook.webhooks, callback_url: "https://belfry.example.com/webhooks/threads", is_by_hand: true },
};

interface Service {
  readonly health?: { readonly status: number; readonly body: unknown };
  readonly report?: object;
}

/**
 * A deployed service as the command sees it: test/entry/doctor.test.ts tests the real one. Answers its
 * address.
 */
async function deployed({ health = { status: 200, body: { status: true } }, report = {} }: Service): Promise<string> {
  const port = await listenLocally(testScope(), (request, response) => {
    const origin = `http://${request.headers.host}`;
    const isOperator = request.headers["x-operator-key"] === KEY;
    const sound = {
      is_production: true,
      public_origin: origin,
      has_sandbox: false,
      migrations,
      kv: null,
      files: null,
      has_banners: true,
      apps: [facebook, threads],
      ai: { ...NO_MODELS, lacking: ["AI_BASE_URL", "AI_API_KEY", "AI_CHAT_MODEL"] },
      sign_in: { provider: null, redirect_uri: `${origin}/console/sign-in/provider/callback`, lacking: [] },
    };
    const [status, body] =
      request.url === "/healthz"
        ? [health.status, health.body]
        : request.url === "/internal/doctor" && isOperator
          ? [200, { status: true, ...sound, ...report }]
          : [404, { status: false, message: "There is nothing at this address." }];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  return `http://127.0.0.1:${port}`;
}

async function examine(service: Service, secrets: readonly string[] | null = REQUIRED_SECRETS): Promise<Ran> {
  const fake = await fakeCloudflare({ secrets, queues: QUEUES });
  const env = { ...fake.env, BELFRY_URL: await deployed(service), BELFRY_OPERATOR_KEY: KEY };
  return npmRun("doctor", ["--remote"], env);
}

const wrong = ({ stdout }: Ran) => stdout.match(/^✗ .*\n {2}fix: .*/gm) ?? [];

describe("npm run doctor -- --remote", () => {
  test("finds nothing wrong with a service that is set up, and says what to compare by hand", async ({ expect }) => {
    const ran = await examine({});
    expect(wrong(ran)).toEqual([]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`? Redirect address, exactly: ${facebook.redirect_uri}`);
    expect(ran.stdout).toContain(
      `✓ Webhooks, entered by this service when a channel is connected: ${facebook.webhooks.callback_url}`,
    );
    expect(ran.stdout).toContain(
      `? Webhooks, to be entered manually: ${threads.webhooks.callback_url}   verify token 0123456789abcdef`,
    );
    expect(ran.stdout).toContain("✓ The Worker that draws them answers.");
    expect(ran.stdout).toContain("✓ The queues exist.");
  });

  test("names everything that is wrong, each with its fix", async ({ expect }) => {
    const refused = {
      topic: "credentials",
      is_good: false,
      message: "Meta does not accept them.",
      fix: "Copy both again.",
    };
    const report = {
      is_production: false,
      public_origin: "https://elsewhere.example",
      migrations: migrations.slice(0, -1),
      kv: "does not answer",
      files: "does not answer",
      has_banners: false,
      apps: [
        { ...facebook, findings: [refused] },
        { ...facebook, is_set_up: false, lacking: ["FACEBOOK_APP_SECRET"] },
      ],
      ai: { ...NO_MODELS, lacking: ["AI_API_KEY"] },
      sign_in: { provider: null, redirect_uri: "", lacking: ["OIDC_CLIENT_SECRET"] },
    };
    const ran = await examine({ report }, ["SIGNING_KEY", "OPERATOR_KEY", "X_CLIENT_ID"]);
    expect(ran.code).toBe(1);
    const text = wrong(ran).join("\n");
    const missing = [
      "PUBLIC_ORIGIN",
      "ENVIRONMENT",
      migrations.at(-1),
      "KV does not answer",
      "The bucket of uploaded files does not answer",
      "The Worker that draws them does not answer",
      "fix: Copy both again.",
      "while FACEBOOK_APP_ID is set",
      "These are missing: AI_API_KEY.",
      "These are missing: OIDC_CLIENT_SECRET.",
    ];
    for (const word of [...missing, "CREDENTIAL_KEYS", "X_CLIENT_SECRET"]) expect(text).toContain(word);
    expect(ran.stdout).toContain("12 things are wrong");
  });

  test("names what an unconfigured service names at /healthz, and how to put it", async ({ expect }) => {
    const problems = [{ variable: "SIGNING_KEY", problem: "is weak: it is a sample value" }];
    const ran = await examine({ health: { status: 503, body: { status: false, message: "…", problems } } }, null);
    expect(ran.code).toBe(1);
    expect(wrong(ran)[0]).toContain("SIGNING_KEY is weak: it is a sample value.");
    expect(wrong(ran)[0]).toContain("npx wrangler secret put SIGNING_KEY");
    expect(wrong(ran)[1]).toContain("no such Worker");
  });

  test("says what it needs, and that a key is wrong", async ({ expect }) => {
    const none = await npmRun("doctor", ["--remote"], { BELFRY_URL: "", BELFRY_OPERATOR_KEY: "" });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("BELFRY_URL and BELFRY_OPERATOR_KEY") });
    const env = { BELFRY_URL: await deployed({}), BELFRY_OPERATOR_KEY: "guessed" };
    const guessed = await npmRun("doctor", ["--remote"], env);
    expect(guessed).toMatchObject({ code: 1, stderr: expect.stringContaining("does not know this operator key") });
  });
});

test("the service knows the migrations of this version", ({ expect }) => {
  expect(MIGRATIONS).toEqual(migrations.toSorted());
});
