import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Moves an account from one server to another, as its owner would: repository, files, the entry in the
 * directory. `isOldKept`: the old server still believes that it holds the account.
 */
export async function moveAccount({ did, handle, password, from, to, isOldKept }) {
  const call = async (origin, method, name, { token, query = {}, json, body, type } = {}) => {
    const url = new URL(`${origin}/xrpc/${name}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(json ? { "content-type": "application/json" } : type ? { "content-type": type } : {}),
    };
    const response = await fetch(url, { method, headers, body: json ? JSON.stringify(json) : body });
    if (!response.ok) throw new Error(`${name} at ${origin}: ${response.status} ${await response.text()}`);
    return response;
  };
  const json = async (...args) => {
    const text = await (await call(...args)).text();
    return text === "" ? {} : JSON.parse(text);
  };
  const { accessJwt: old } = await json(from.origin, "POST", "com.atproto.server.createSession", {
    json: { identifier: did, password },
  });
  const query = { aud: to.did, lxm: "com.atproto.server.createAccount" };
  const { token } = await json(from.origin, "GET", "com.atproto.server.getServiceAuth", { token: old, query });
  const { accessJwt: fresh } = await json(to.origin, "POST", "com.atproto.server.createAccount", {
    token,
    json: { did, handle: handle.replace(/\..*$/, to.domain), email: `${handle}@moved.example.com`, password },
  });
  const repo = Buffer.from(
    await (await call(from.origin, "GET", "com.atproto.sync.getRepo", { query: { did } })).arrayBuffer(),
  );
  await call(to.origin, "POST", "com.atproto.repo.importRepo", {
    token: fresh,
    body: repo,
    type: "application/vnd.ipld.car",
  });
  const { blobs } = await json(to.origin, "GET", "com.atproto.repo.listMissingBlobs", { token: fresh });
  for (const { cid } of blobs) {
    const blob = await call(from.origin, "GET", "com.atproto.sync.getBlob", { query: { did, cid } });
    const type = blob.headers.get("content-type") ?? "application/octet-stream";
    await call(to.origin, "POST", "com.atproto.repo.uploadBlob", {
      token: fresh,
      body: Buffer.from(await blob.arrayBuffer()),
      type,
    });
  }
  const wanted = await json(to.origin, "GET", "com.atproto.identity.getRecommendedDidCredentials", { token: fresh });
  await call(from.origin, "POST", "com.atproto.identity.requestPlcOperationSignature", { token: old });
  const database = new DatabaseSync(join(from.directory, "account.sqlite"), { readOnly: true });
  const row = database.prepare("SELECT token FROM email_token WHERE did = ? AND purpose = 'plc_operation'").get(did);
  database.close();
  const { operation } = await json(from.origin, "POST", "com.atproto.identity.signPlcOperation", {
    token: old,
    json: { ...wanted, token: row.token },
  });
  await call(to.origin, "POST", "com.atproto.identity.submitPlcOperation", { token: fresh, json: { operation } });
  await call(to.origin, "POST", "com.atproto.server.activateAccount", { token: fresh });
  if (!isOldKept) await call(from.origin, "POST", "com.atproto.server.deactivateAccount", { token: old, json: {} });
  return { handle: handle.replace(/\..*$/, to.domain) };
}
