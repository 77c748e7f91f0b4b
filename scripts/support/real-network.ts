import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { createApi, operatorOf } from "./api.ts";
import type { BlueskyServer } from "./bluesky-client.ts";
import { Refusal, type Scope } from "./command.ts";
import { callJson, waitFor } from "./http.ts";
import { installFolder } from "./install-folder.ts";
import { ROOT } from "./paths.ts";
import { findFreePort } from "./ports.ts";
import { startGuarded } from "./processes.ts";
import { buildAndStartSandbox, startCron, startService } from "./workers.ts";
import { temporaryDirectory } from "./world.ts";

/** The service beside the network's own servers (scripts/real/), all on this machine. */

const FOLDER = join(ROOT, "scripts", "real");
/** Does not resolve: servers take no local names, so they are shown the service under this one. */
export const PUBLIC_ORIGIN = "https://app.belfry-check.com";
const START_TIMEOUT_MS = 120_000;
const SIGN_IN_TIMEOUT_MS = 150_000;

const Account = z.object({ did: z.string(), handle: z.string() });
export type Account = z.output<typeof Account>;
const Records = z.object({
  records: z.array(z.object({ uri: z.string(), cid: z.string(), value: z.looseObject({ text: z.string() }) })),
});
export type Stored = z.output<typeof Records>["records"][number];
export type Server = "a" | "b";
const Faults = z.object({ waiting: z.array(z.unknown()), nonceRefusals: z.number() });
const Led = z.object({ url: z.string() });

export type Network = Awaited<ReturnType<typeof bootNetwork>>;

export async function bootNetwork(scope: Scope) {
  const directory = temporaryDirectory(scope);
  const names = ["directory", "a", "aBehind", "b", "bBehind", "index", "control"] as const;
  const found: [string, number][] = [];
  for (const name of names) found.push([name, await findFreePort()]);
  const ports = Object.fromEntries(found);
  const [port, inspectorPort, sandboxPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  // The servers are installed while the service is built.
  const [{ sandbox, ...made }] = await Promise.all([
    buildAndStartSandbox(scope, { directory, port: sandboxPort }),
    installFolder(FOLDER),
  ]);
  const key = newKey();
  const variables = {
    PUBLIC_ORIGIN,
    BLUESKY_DIRECTORY: `http://localhost:${ports.directory}`,
    BLUESKY_CLIENT_KEYS: `real:${key}`,
    PACE_FACTOR: "100",
  };
  const options = { directory, port, inspectorPort, sandboxPort, variables, ...made };
  let service = startService(options);
  const settings = {
    directory,
    ports,
    publicOrigin: PUBLIC_ORIGIN,
    origin: service.origin,
    image: `${sandbox.origin}/_media/square.jpg`,
  };
  const servers = startGuarded(process.execPath, [join(FOLDER, "servers.mjs"), JSON.stringify(settings)], {
    env: { LOG_ENABLED: "false" },
  });
  scope.defer(() => Promise.all([service.stop(), servers.stop()]));
  await Promise.all([service.ready(), sandbox.ready()]);
  const isReady = async () => servers.hasExited || /^ready$/m.test(servers.tail());
  const isUp = await waitFor(isReady, { timeoutMs: START_TIMEOUT_MS });
  if (!isUp || servers.hasExited) throw new Refusal(`The network's servers did not start.\n${servers.tail()}`);
  scope.defer(startCron(service.origin, () => {}, 5_000));

  /** Rejects with the servers' last output if they exit: otherwise every check waits until it times out. */
  const failed = servers.exited.then((): never => {
    throw new Refusal(`The network's servers exited.\n${servers.tail()}`);
  });
  // It may reject before `real` waits for it.
  failed.catch(() => {});

  const operator = operatorOf(service.origin, made.secrets.OPERATOR_KEY);
  const { token } = await operator.issueToken({ project: "Real", live: true });
  const api = createApi(service.origin, token);

  async function control<S extends z.ZodType>(action: string, schema: S, body: object): Promise<z.output<S>> {
    const url = `http://127.0.0.1:${ports.control}/${action}`;
    const answer = await callJson("POST", url, { body, timeoutMs: SIGN_IN_TIMEOUT_MS });
    if (answer.status !== 200) throw new Error(`${action}: ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.body);
  }
  const done = z.unknown();

  return {
    api,
    token,
    failed,
    origin: service.origin,
    media: (name: string) => `${sandbox.origin}/_media/${name}`,
    page: `http://localhost:${ports.control}/page`,
    createAccount: (server: Server, name: string) => control("create-account", Account, { server, name }),
    /** Signs in through the real pages in Chromium; throws the last page if nothing was connected. */
    async connect({ handle }: Account, server: Server = "a") {
      const { connect_url, connect_token } = await api.connectChannel({ userId: "a-person" });
      const connectUrl = connect_url.replace(PUBLIC_ORIGIN, service.origin);
      const last = await control("sign-in", done, { connectUrl, server, handle });
      const status = await api.connectStatus(connect_token);
      const [id] = status.channel_ids ?? [];
      if (status.connect_status === "success" && id !== undefined) return id;
      throw new Error(`${status.connect_status}: ${status.message ?? ""} ${JSON.stringify(last)}`);
    },
    records: async ({ did }: Account, server: Server = "a") =>
      (await control("records", Records, { server, did })).records,
    /** `mark`: only calls of the post whose text contains it. */
    fault: (path: string, kind: string, mark?: string, times = 1) =>
      control("fault", done, { server: "a", path, kind, times, mark }),
    faults: () => control("faults", Faults, { server: "a" }),
    /** A server for the list of calls that the simulated one answers too (bluesky-calls.ts). */
    served: ({ did, handle }: Account, server: Server): BlueskyServer => ({
      origin: `http://localhost:${ports[server]}`,
      did,
      handle,
      client: {
        id: `${PUBLIC_ORIGIN}/connect/client/bluesky.json`,
        redirectUri: `${PUBLIC_ORIGIN}/connect/callback/bluesky`,
        kid: "real",
        key,
      },
      fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }),
      authorize: async (url) => (await control("authorize", Led, { url, server, handle })).url,
      deactivate: () => control("deactivate", done, { server, handle }),
      activate: () => control("activate", done, { server, handle }),
      now: Date.now,
    }),
    reply: ({ handle }: Account, { uri, cid }: Pick<Stored, "uri" | "cid">, text: string) =>
      control("reply", done, { server: "a", handle, uri, cid, text }),
    deleteAccount: ({ did }: Account) => control("delete-account", done, { server: "a", did }),
    move: ({ did, handle }: Account, isOldKept: boolean) =>
      control("move", z.object({ handle: z.string() }), { did, handle, isOldKept }),
    async restart() {
      await service.kill();
      service = startService(options);
      await service.ready();
    },
  };
}

/** A private P-256 key in the form of BLUESKY_CLIENT_KEYS. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
}
