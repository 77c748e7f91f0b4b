import type { IncomingMessage } from "node:http";
import { listenLocally } from "../../scripts/support/http.ts";
import { testScope } from "./test-scope.ts";

/**
 * Enough of Cloudflare's API for wrangler to deploy to, on a loopback port: its requests are kept, in
 * order. Made after the calls of wrangler 4.155; it holds state only where the order of things is what a
 * test is about.
 */
export interface FakeCloudflare {
  /** For the command under test: where the API and the deployed Worker are, and who calls. */
  readonly env: Readonly<Record<string, string>>;
  /** `METHOD /path`, without the account, in order. */
  readonly calls: readonly string[];
  /** Of the last upload of the service. */
  readonly uploaded: {
    readonly secrets: ReadonlyMap<string, string>;
    /** The Workers that it binds. */
    readonly services: readonly string[];
  } | null;
}

/** How the account is when the command comes to it. */
export interface World {
  /** Names of the secrets that the Worker has; null: there is no Worker yet. */
  readonly secrets: readonly string[] | null;
  /** Names of the queues that are there from the start. */
  readonly queues?: readonly string[];
  /** What the deployed Worker answers at /healthz, one after the other; the last one for good. */
  readonly health?: readonly Reply[];
}

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const BASE = "/client/v4";
const BANNERS = "/workers/scripts/belfry-banners";
const NO_TARGET = { code: 10143, message: "The target of the service binding BANNERS was not found." };

export async function fakeCloudflare(world: World): Promise<FakeCloudflare> {
  const calls: string[] = [];
  let uploaded: FakeCloudflare["uploaded"] = null;
  const healths = [...(world.health ?? [])];
  const databases: string[] = [];
  const queues: string[] = [...(world.queues ?? [])];

  const answer = (method: string, path: string, query: URLSearchParams, body: string): Reply => {
    const [, collection = "", item] =
      /^\/(d1\/database|queues|storage\/kv\/namespaces)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (/^\/workers\/services\/belfry(-banners)?$/.test(path) && world.secrets === null) return absent;
    if (path === "/workers/workers/belfry-banners")
      return result({ id: "b", name: "belfry-banners", subdomain: { enabled: false, previews_enabled: false } });
    if (path.startsWith(BANNERS)) return ofBanners(method, path.slice(BANNERS.length));
    if (path === "/workers/scripts/belfry/secrets") {
      return world.secrets === null ? absent : result(world.secrets.map((name) => ({ name, type: "secret_text" })));
    }
    if (path === "/healthz") return healths.length > 1 ? (healths.shift() ?? absent) : (healths[0] ?? absent);
    if (path === "/workers/scripts/belfry/settings") return world.secrets === null ? absent : result({ bindings: [] });
    if (path === "/workers/scripts/belfry/assets-upload-session") return result({ jwt: "a-jwt", buckets: [] });
    if (path === "/workers/subdomain") return result({ subdomain: "acme" });
    if (path === "/workers/workers/belfry") return result({ id: "w", name: "belfry", subdomain: { enabled: true } });
    if (path === "/workers/scripts/belfry" && method === "PUT") {
      // As Cloudflare refuses it.
      if (!hasBanners) return { status: 400, body: { success: false, errors: [NO_TARGET], messages: [] } };
      uploaded = { secrets: secretsIn(body), services: servicesIn(body) };
      return result({ id: "belfry", startup_time_ms: 20, deployment_id: "d", available_on_subdomain: true });
    }
    if (path === "/workers/scripts/belfry/subdomain") return result({ enabled: true, previews_enabled: false });
    if (path.startsWith("/workers/scripts/belfry/deployments")) return result({ deployments: [] });
    if (path.endsWith("/query")) return result([{ results: [], success: true, meta: {} }]);
    if (collection === "queues" && method === "GET" && item === undefined) {
      const name = query.get("name");
      return result(queues.filter((queue) => name === null || queue === name).map(queueOf));
    }
    if (collection === "queues" && method === "POST" && item === undefined) {
      const { queue_name: name } = JSON.parse(body);
      queues.push(name);
      return result(queueOf(name));
    }
    if (collection === "d1/database" && method === "POST") {
      databases.push(JSON.parse(body).name);
      return result(databaseOf(JSON.parse(body).name));
    }
    if (collection === "d1/database" && item) return databases.includes(item) ? result(databaseOf(item)) : absent;
    if (collection === "storage/kv/namespaces" && method === "POST") return result({ id: "kv", title: "belfry-kv" });
    return result(method === "GET" ? [] : {});
  };

  let hasBanners = world.secrets !== null;
  const ofBanners = (method: string, path: string): Reply => {
    if (path === "" && method === "PUT") {
      hasBanners = true;
      return result({ id: "belfry-banners", startup_time_ms: 5, deployment_id: "b", available_on_subdomain: false });
    }
    if (path === "/assets-upload-session") return result({ jwt: "a-jwt", buckets: [] });
    if (path === "/subdomain") return result({ enabled: false, previews_enabled: false });
    if (path.startsWith("/deployments")) return result({ deployments: [] });
    if (path === "/settings") return hasBanners ? result({ bindings: [] }) : absent;
    return result(method === "GET" ? [] : {});
  };

  const port = await listenLocally(testScope(), async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://cloudflare");
    const path = pathname.replace(`${BASE}/accounts/${ACCOUNT}`, "").replace(BASE, "");
    calls.push(`${request.method} ${path}`);
    const reply = answer(request.method ?? "GET", path, searchParams, await bodyOf(request));
    response.writeHead(reply.status, { "Content-Type": "application/json" }).end(JSON.stringify(reply.body));
  });
  return {
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}${BASE}`,
      CLOUDFLARE_API_TOKEN: "a-token-of-the-fake",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      BELFRY_URL: `http://127.0.0.1:${port}`,
    },
    calls,
    get uploaded() {
      return uploaded;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const result = (value: unknown): Reply => ({
  status: 200,
  body: { success: true, errors: [], messages: [], result: value, result_info: { page: 1, total_pages: 1 } },
});
const absent: Reply = {
  status: 404,
  body: { success: false, errors: [{ code: 10007, message: "It does not exist on your account." }], messages: [] },
};
/** Of every queue: nothing here is found by it. */
const QUEUE_ID = "fedcba9876543210fedcba9876543210";
const queueOf = (name: string) => ({
  queue_id: QUEUE_ID,
  queue_name: name,
  created_on: "2026-11-21T12:00:00Z",
  modified_on: "2026-11-21T12:00:00Z",
  consumers: [],
  consumers_total_count: 0,
  producers: [],
  producers_total_count: 0,
});
const databaseOf = (name: string) => ({ uuid: "11111111-1111-4111-8111-111111111111", name });

interface Binding {
  readonly type: string;
  readonly name: string;
  readonly text?: string;
  readonly service?: string;
}

/** The upload is a form whose part `metadata` is JSON. */
function bindingsIn(form: string): readonly Binding[] {
  const metadata = /name="metadata"\r\n\r\n(.*?)\r\n--/s.exec(form)?.[1] ?? "{}";
  const { bindings = [] }: { bindings?: Binding[] } = JSON.parse(metadata);
  return bindings;
}

const secretsIn = (form: string): ReadonlyMap<string, string> =>
  new Map(bindingsIn(form).flatMap(({ type, name, text }) => (type === "secret_text" ? [[name, text ?? ""]] : [])));

const servicesIn = (form: string): readonly string[] =>
  bindingsIn(form).flatMap(({ type, service }) => (type === "service" && service ? [service] : []));

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("latin1")) text += chunk;
  return text;
}
