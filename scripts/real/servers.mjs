import fs from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { AtpAgent } from "@atproto/api";
import { envToCfg, envToSecrets, PDS } from "@atproto/pds";
import plc from "@did-plc/server";
import { moveAccount } from "./move-account.mjs";
import { startIndex } from "./network-index.mjs";
import { startProxy } from "./proxy.mjs";
import { serve } from "./serve.mjs";
import { authorize, signIn } from "./sign-in.mjs";

/**
 * The network on this machine: the directory of accounts, two servers behind a proxy each, and a stand-in for
 * the index. Controlled over HTTP by scripts/real.ts, which passes the folder, the ports and our addresses.
 */
const { directory, ports, publicOrigin, origin, image } = JSON.parse(process.argv[2] ?? "{}");

// Servers read the app's document from its public address, which leads to the service here.
const reach = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = typeof input === "string" || input instanceof URL ? String(input) : input.url;
  return url.startsWith(publicOrigin) ? reach(url.replace(publicOrigin, origin)) : reach(input, init);
};

const PASSWORD = "correct-horse-battery";
const ADMIN = "admin-password";

const directoryServer = plc.PlcServer.create({ db: plc.Database.mock(), port: ports.directory });
await directoryServer.start();

async function startServer(name, domain) {
  const folder = join(directory, name);
  fs.mkdirSync(join(folder, "blobs"), { recursive: true });
  const env = {
    port: ports[name],
    hostname: "localhost",
    serviceDid: `did:web:localhost%3A${ports[name]}`,
    devMode: true,
    disableSsrfProtection: true,
    dataDirectory: folder,
    blobstoreDiskLocation: join(folder, "blobs"),
    blobstoreDiskTmpLocation: join(folder, "tmp"),
    didPlcUrl: `http://localhost:${ports.directory}`,
    serviceHandleDomains: [domain],
    inviteRequired: false,
    rateLimitsEnabled: false,
    blobUploadLimit: 100_000_000,
    jwtSecret: "x".repeat(32),
    adminPassword: ADMIN,
    plcRotationKeyK256PrivateKeyHex: "11".repeat(32),
    dpopSecret: "22".repeat(32),
    bskyAppViewUrl: `http://localhost:${ports.index}`,
    bskyAppViewDid: `did:web:localhost%3A${ports.index}`,
  };
  const config = envToCfg(env);
  // The address in documents is the proxy's.
  config.service.port = ports[`${name}Behind`];
  const server = await PDS.create(config, envToSecrets(env));
  await server.start();
  const { faults, counts } = startProxy(ports[name], config.service.port);
  const origin = `http://localhost:${ports[name]}`;
  return { name, domain, directory: folder, origin, did: env.serviceDid, faults, counts };
}

const servers = { a: await startServer("a", ".test"), b: await startServer("b", ".b.test") };
const agents = Object.fromEntries(
  Object.keys(servers).map((name) => [name, new AtpAgent({ service: `http://127.0.0.1:${ports[`${name}Behind`]}` })]),
);
const accounts = [];
startIndex(ports.index, { agents, accounts });

const signedIn = async (server, identifier) => {
  const agent = new AtpAgent({ service: `http://127.0.0.1:${ports[`${server}Behind`]}` });
  await agent.login({ identifier, password: PASSWORD });
  return agent;
};

const actions = {
  async "create-account"({ server, name }) {
    const handle = `${name}${servers[server].domain}`;
    const email = `${name}@example.com`;
    const { data } = await agents[server].com.atproto.server.createAccount({ handle, email, password: PASSWORD });
    accounts.push({ did: data.did, handle, server });
    return { did: data.did, handle };
  },
  "sign-in": ({ connectUrl, server, handle }) =>
    signIn({ connectUrl, publicOrigin, origin, server: servers[server].origin, handle, password: PASSWORD }),
  authorize: ({ url, server, handle }) =>
    authorize({ url, publicOrigin, server: servers[server].origin, handle, password: PASSWORD }),
  async deactivate({ server, handle }) {
    await (await signedIn(server, handle)).com.atproto.server.deactivateAccount({});
    return {};
  },
  async activate({ server, handle }) {
    await (await signedIn(server, handle)).com.atproto.server.activateAccount();
    return {};
  },
  fault({ server, path, kind, times, mark }) {
    servers[server].faults.push({ path, kind, times, mark });
    return {};
  },
  faults: ({ server }) => ({
    waiting: servers[server].faults.filter(({ times }) => times > 0),
    ...servers[server].counts,
  }),
  /** The official client reads everything back. */
  async records({ server, did }) {
    const records = [];
    let cursor;
    do {
      const { data } = await agents[server].com.atproto.repo.listRecords({
        repo: did,
        collection: "app.bsky.feed.post",
        limit: 100,
        ...(cursor ? { cursor } : {}),
      });
      records.push(...data.records);
      cursor = data.records.length === 0 ? undefined : data.cursor;
    } while (cursor);
    return { records };
  },
  async reply({ server, handle, uri, cid, text }) {
    const agent = await signedIn(server, handle);
    const reply = { root: { uri, cid }, parent: { uri, cid } };
    return agent.post({ text, reply });
  },
  async "delete-account"({ server, did }) {
    const authorization = `Basic ${Buffer.from(`admin:${ADMIN}`).toString("base64")}`;
    await agents[server].com.atproto.admin.deleteAccount(
      { did },
      { headers: { authorization }, encoding: "application/json" },
    );
    return {};
  },
  async move({ did, handle, isOldKept }) {
    const moved = await moveAccount({ did, handle, password: PASSWORD, from: servers.a, to: servers.b, isOldKept });
    Object.assign(accounts.find((one) => one.did === did) ?? {}, { ...moved, server: "b" });
    return moved;
  },
};

const control = async (request, response) => {
  const answer = (status, type, body) => {
    response.writeHead(status, { "content-type": type });
    response.end(body);
  };
  if (request.url === "/page") {
    return answer(
      200,
      "text/html; charset=utf-8",
      `<html><head><title>no</title><meta property="og:title" content="Bells &amp; whistles">
       <meta property="og:description" content="What rings."><meta property="og:image" content="${image}"></head></html>`,
    );
  }
  try {
    const body = JSON.parse((await text(request)) || "{}");
    const result = await actions[request.url.slice(1)](body);
    answer(200, "application/json", JSON.stringify(result ?? {}));
  } catch (error) {
    answer(
      500,
      "application/json",
      JSON.stringify({ message: error instanceof Error ? error.message : String(error) }),
    );
  }
};
serve(ports.control, control, () => process.stdout.write("ready\n"));
process.on("SIGTERM", () => process.exit(0));
