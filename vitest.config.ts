import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { build } from "esbuild";
import { defineConfig, defineProject } from "vitest/config";
import { buildAssets } from "./scripts/support/assets.ts";
import { answerPictures } from "./scripts/support/picture-engine.ts";
import { bundledService, WORKER_BUILD } from "./scripts/support/service-bundle.ts";
import { LEFT_OUT, listTestFiles } from "./scripts/support/test-files.ts";
import { TestOrder } from "./scripts/support/test-order.ts";
import { QUIET } from "./scripts/support/tools.ts";

if (Number.parseInt(process.versions.node, 10) < 22) {
  throw new Error("vitest needs Node.js 22 or later. Use `npm test -- FILE …`, which installs one for itself.");
}
// The Worker under test serves these files.
buildAssets();

/** The sandbox Worker as one module: the same one that `npm start` runs. */
async function bundleSandbox(): Promise<string> {
  const result = await build({
    ...WORKER_BUILD,
    entryPoints: ["sandbox/worker.ts"],
    loader: {
      ".jpg": "binary",
      ".png": "binary",
      ".gif": "binary",
      ".webp": "binary",
      ".mp4": "binary",
      ".mov": "binary",
      ".webm": "binary",
      ".heic": "binary",
    },
  });
  return result.outputFiles[0]?.text ?? "";
}

/** The Worker of banners, as modules: its script, and the engine that it imports. */
async function bundleBanners() {
  const result = await build({
    ...WORKER_BUILD,
    entryPoints: ["src/banners/worker.ts"],
    outdir: ".bundled/banners",
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
  });
  // The first module is the entry.
  const files = result.outputFiles.toSorted((a, b) => Number(b.path.endsWith(".js")) - Number(a.path.endsWith(".js")));
  return files.map(({ path, contents }) => {
    const type = path.endsWith(".js") ? ("ESModule" as const) : ("CompiledWasm" as const);
    return { type, path: basename(path), contents };
  });
}

// Once for all test files: the pool asks for its options before each of them.
const made = {
  sandbox: bundleSandbox(),
  banners: bundleBanners(),
  migrations: readD1Migrations("./migrations"),
};

// Every outgoing request of a Worker under test: it goes to the sandbox, or fails the test. The sandbox
// fetches only files of the service, and reads them from the same bucket, because the service runs inside the
// tests.
const GATE = `export default {
  async fetch(request, env) {
    const { host, pathname } = new URL(request.url);
    if (host === "sandbox.test") return env.SANDBOX.fetch(request);
    if (host === "hooks.test") return receiveWebhook(request);
    // Only the platforms' challenges: the tests deliver their messages, because the service runs inside them.
    if (host === "belfry.test" && request.method === "GET" && pathname.startsWith("/webhooks/")) return receiveWebhook(request);
    const [, name] = /^\\/media\\/(\\w{32})\\.\\w+$/.exec(host === "belfry.test" ? pathname : "") ?? [];
    const file = name && (await env.FILES.get(name));
    if (file) return new Response(file.body, { headers: { "Content-Length": String(file.size) } });
    throw new Error("A test reached out to " + host);
  },
};

// A receiver of webhooks: /wrong fails the platforms' challenges, /full refuses the messages after them.
async function receiveWebhook(request) {
  const { pathname, searchParams } = new URL(request.url);
  if (request.method === "POST") return new Response(null, { status: pathname === "/full" ? 503 : 200 });
  if (pathname === "/wrong") return new Response("no", { status: searchParams.has("crc_token") ? 200 : 403 });
  if (!searchParams.has("crc_token")) return new Response(searchParams.get("hub.challenge"));
  const bytes = (text) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", bytes("sandbox-x-consumer-secret"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, bytes(searchParams.get("crc_token")));
  return Response.json({ response_token: "sha256=" + btoa(String.fromCharCode(...new Uint8Array(digest))) });
}`;

const compatibilityDate = "2026-10-01";

const shared = {
  // A test that times out still runs beside the next one. On a busy machine the first of a file took 30 s.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { requireAssertions: true },
};

/** What of the contract suite runs: a seed's choice, or everything (test/contract/sample.ts). */
const { CONTRACT, CONTRACT_SEED, TEST_RUNS, TESTS, REALISM = "calm" } = process.env;
const contract = {
  isWhole: CONTRACT === "all",
  isCrossed: CONTRACT === "all" || TESTS === "all",
  isCalm: REALISM === "calm",
  seed: CONTRACT_SEED ? Number(CONTRACT_SEED) : null,
  // People wait for `npm test` alone: it draws less.
  runs: TEST_RUNS ? Number(TEST_RUNS) : TESTS ? 1 : 0.25,
};

/** Every status that a test receives is one that the document lists (test/support/documented.ts). */
function documentedStatuses(): Readonly<Record<string, readonly number[]>> {
  const { paths }: { paths: Record<string, Record<string, { responses: object }>> } = JSON.parse(
    readFileSync("docs/openapi.json", "utf8"),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => [
      `${method.toUpperCase()} ${path}`,
      Object.keys(responses).map(Number),
    ]),
  );
  return Object.fromEntries(operations);
}

const SECRETS = {
  CREDENTIAL_KEYS: `test:${btoa("0123456789abcdef0123456789abcdef")}`,
  SIGNING_KEY: "a signing key that only the tests ever see",
  OPERATOR_KEY: "an operator key that only the tests ever see",
};
// Where wrangler looks for them before it warns that they are missing.
Object.assign(process.env, SECRETS);

/**
 * The sandbox's own defaults, to which a reset returns: a misspelt parameter fails the test that sent it, and
 * webhooks wait for the tests to deliver them, because the service runs inside of the tests. With
 * REALISM=production the platforms show all of their moods.
 */
const SANDBOX_SETTINGS = JSON.stringify({ strict: true, webhooks: "hold", realism: REALISM });

const files = listTestFiles();

/** The service in the real runtime, and the sandbox beside it. */
const service = defineProject({
  // Documents that tests read with `?inline`; Vite knows pictures, videos and PDF.
  assetsInclude: ["**/*.{doc,docx,docm,pptx}"],
  plugins: [
    bundledService(files.service),
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      // Otherwise the runtime prints a stack of its own for every connection that a test breaks.
      verbose: false,
      miniflare: {
        bindings: {
          ENVIRONMENT: "test",
          PUBLIC_ORIGIN: "https://belfry.test",
          SANDBOX_URL: "http://sandbox.test",
          LOG_LEVEL: "errors",
          ...SECRETS,
          // The largest tests fill a table with more than a project may have waiting.
          MAX_WAITING_POSTS: "1000000",
          // Addresses that hang are waited for in real time.
          WEBHOOK_LIMIT_SECONDS: "0.1",
          MIGRATIONS: await made.migrations,
        },
        // The runtime evicts objects that were idle for ten seconds. Its clock stops while there is work, so
        // in a busy test run it evicted them at any moment.
        durableObjects: {
          LIMITER: { className: "TokenLimiter", useSQLite: true, unsafePreventEviction: true },
          PROJECT_LIMITER: { className: "ProjectLimiter", useSQLite: true, unsafePreventEviction: true },
        },
        // Further databases, which only some files use (test/support/databases.ts).
        d1Databases: ["SPARE_1", "SPARE_2"],
        serviceBindings: { SANDBOX: "sandbox", PICTURE_ENGINE: answerPictures },
        outboundService: "gate",
        workers: [
          {
            name: "gate",
            modules: true,
            script: GATE,
            compatibilityDate,
            serviceBindings: { SANDBOX: "sandbox" },
            r2Buckets: { FILES: "belfry-files" },
          },
          {
            // As src/banners/wrangler.toml has it.
            name: "belfry-banners",
            modules: await made.banners,
            compatibilityDate,
            assets: {
              directory: "dist/fonts",
              binding: "ASSETS",
              routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
            },
            outboundService: "gate",
          },
          {
            name: "sandbox",
            modules: true,
            script: await made.sandbox,
            compatibilityDate,
            durableObjects: { STATE: { className: "SandboxState", useSQLite: true } },
            bindings: { ENVIRONMENT: "development", SETTINGS: SANDBOX_SETTINGS },
            outboundService: "gate",
          },
        ],
      },
    })),
  ],
  test: {
    ...shared,
    name: "service",
    // Saves little time here, and its modules have no source maps: stack traces would name the wrong lines.
    fsModuleCache: false,
    include: files.service.filter((path) => !LEFT_OUT.includes(path)),
    // A runtime takes two seconds to start, so it runs one file after the other. Each has a clean start
    // (test/support/setup.ts).
    isolate: false,
    setupFiles: ["./test/support/setup.ts"],
    provide: { contract, documented: documentedStatuses() },
  },
});

/** Tests whose imports do not reach the Workers runtime (scripts/support/test-files.ts), in Node. */
const pure = defineProject({
  // One process for many files, which share what they import: they leave nothing behind in it.
  test: {
    ...shared,
    name: "pure",
    include: files.pure.filter((path) => !LEFT_OUT.includes(path)),
    isolate: false,
    provide: { contract },
  },
});

/** The sandbox on a loopback port, and other people's clients in Node. */
const clients = defineProject({
  // Its server is wrangler's: no reports, no look-ups over the network.
  test: {
    ...shared,
    name: "clients",
    include: ["test/clients/*.test.ts"],
    globalSetup: ["./test/clients/sandbox-server.ts"],
    // They share that sandbox, and so run one after the other: in one process, after all others.
    isolate: false,
    maxWorkers: 1,
    sequence: { groupOrder: 1 },
    env: QUIET,
    // A module whose imports name no extensions, which Node by itself does not take.
    server: { deps: { inline: ["threads-graph-api"] } },
  },
});

/** The API document as it is served: linters, and the clients that generators make of it. */
const document = defineProject({
  test: {
    ...shared,
    name: "document",
    include: ["test/document/*.test.ts"],
    exclude: LEFT_OUT,
    globalSetup: ["./test/document/served.ts"],
    testTimeout: 120_000,
    env: QUIET,
  },
});

/** The commands of package.json, run as people run them: each starts processes that take seconds. */
const commands = defineProject({
  test: {
    ...shared,
    testTimeout: 300_000,
    name: "commands",
    include: ["test/commands/*.test.ts"],
    exclude: LEFT_OUT,
    env: QUIET,
    provide: { contract },
  },
});

/** The console in Debian's Chromium, from `npm start`; skipped where it is not installed. */
const browser = defineProject({
  test: {
    ...shared,
    testTimeout: 120_000,
    name: "browser",
    include: ["test/browser/*.test.ts"],
    exclude: LEFT_OUT,
    globalSetup: ["./test/browser/shared.ts"],
    env: QUIET,
    provide: { contract },
  },
});

export default defineConfig({
  test: {
    projects: [pure, service, clients, commands, document, browser],
    // Files also wait for servers and processes: two at a time leave a third of two cores idle.
    maxWorkers: 3,
    sequence: { sequencer: TestOrder },
    // Written whatever is logged otherwise, and here for every token and form of a test.
    onConsoleLog: (line) => !/^\{"event":"(operator_|console_action)/.test(line),
  },
});
