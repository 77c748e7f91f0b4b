// Who accounts are: the directory of ids, DNS records of handles over HTTPS, and the look-up of handles.

import { Hono } from "hono";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { findAccount, findHandle, homeOf } from "./store";

type Env = { Bindings: PlatformBindings };

export function directory(sandbox: Sandbox) {
  const app = new Hono<Env>();
  app.get("/:did", (c) => {
    const did = c.req.param("did");
    const account = findAccount(sandbox, did);
    if (!account) return c.json({ message: `DID not registered: ${did}` }, 404);
    const document = {
      "@context": ["https://www.w3.org/ns/did/v1"],
      id: did,
      alsoKnownAs: [`at://${account.handle}`],
      verificationMethod: [],
      service: [
        {
          id: "#atproto_pds",
          type: "AtprotoPersonalDataServer",
          serviceEndpoint: `https://${homeOf(sandbox, account)}`,
        },
      ],
    };
    return c.json(document, 200, { "content-type": "application/did+ld+json" });
  });
  return app;
}

export function dns(sandbox: Sandbox) {
  const app = new Hono<Env>();
  app.get("/dns-query", (c) => {
    const name = c.req.query("name") ?? "";
    const account = name.startsWith("_atproto.") ? findHandle(sandbox, name.slice("_atproto.".length)) : null;
    const answer = account ? { Answer: [{ name, type: 16, TTL: 300, data: `"did=${account.id}"` }] } : {};
    return c.json({ Status: account ? 0 : 3, ...answer }, 200, { "content-type": "application/dns-json" });
  });
  return app;
}

export function resolver(sandbox: Sandbox) {
  const app = new Hono<Env>();
  app.get("/xrpc/com.atproto.identity.resolveHandle", (c) => {
    const account = findHandle(sandbox, c.req.query("handle") ?? "");
    if (account) return c.json({ did: account.id });
    return c.json({ error: "HandleNotFound", message: "Unable to resolve handle" }, 400);
  });
  return app;
}
