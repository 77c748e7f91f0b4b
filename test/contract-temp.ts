import { env } from "cloudflare:workers";
import { sealCredentials } from "../src/channels/credentials.ts";
import { createDeps } from "../src/deps.ts";
import { createSend, sandboxAddress } from "../src/platforms/request.ts";
import { findPlatform } from "../src/platforms/registry.ts";
import { ACCOUNTS, type Home, type Name } from "./contract-world.ts";
import { Browser } from "./support/browser.ts";
import { bindings } from "./support/queue.ts";
import { Project } from "./support/world.ts";

export async function homeOn(name: Name, account = ACCOUNTS[name][0]): Promise<Home> {
  const project = await Project.create();
  const deps = createDeps(bindings, {});
  const platform = findPlatform(name);
  const app = deps.config.appCredentials(name, true);
  if (!platform || !app) throw new Error("x");
  const verifier = "v".repeat(64);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const codeChallenge = btoa(String.fromCharCode(...digest)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const redirectUri = `https://belfry.test/connect/callback/${name}`;
  const url = platform.oauth.authorizeUrl(app, { redirectUri, state: "state", codeChallenge });
  const browser = new Browser((request) => env.SANDBOX.fetch(request));
  const stay = (target: URL) => target.host === "sandbox.test";
  let page = await browser.go(sandboxAddress(url, "http://sandbox.test").href, {}, stay);
  const form = /<form\b[^>]*>[\s\S]*?<\/form>/i.exec(page.html)?.[0] ?? "";
  const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll("&amp;", "&") ?? page.url;
  const body = new URLSearchParams();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/gi)) {
    const n = /\sname="([^"]*)"/.exec(tag)?.[1] ?? "";
    const v = /\svalue="([^"]*)"/.exec(tag)?.[1]?.replaceAll("&amp;", "&") ?? "on";
    if ((n === "page" || n === "account") && v !== account) continue;
    if (n) body.append(n, v);
  }
  body.append("decision", "allow");
  page = await browser.go(new URL(action, page.url).href, { method: "POST", body }, stay);
  const code = new URL(page.url).searchParams.get("code");
  if (!code) throw new Error(`no code ${page.url} ${page.html.slice(0, 3000)}`);
  const context = { send: createSend({ sandboxUrl: "http://sandbox.test" }), app, now: Date.now() };
  const granted = await platform.oauth.exchange(context, { code, redirectUri, codeVerifier: verifier });
  if (granted.kind === "failed") throw new Error(granted.message);
  const one = granted.accounts.find((a) => a.id === account);
  if (!one?.credentials) throw new Error(JSON.stringify(granted));
  const row = await env.DB.prepare("SELECT id FROM projects WHERE name = ?").bind(project.name).first<{ id: number }>();
  const now = Date.now();
  const cols = [row?.id, "u", name, one.id, one.name, one.username, one.pictureUrl, JSON.stringify(one.attributes), "connected", now, now];
  const made = await env.DB.prepare("INSERT INTO channels (project_id,user_ref,platform,account_id,name,username,picture_url,attributes,health,created_at,updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?) RETURNING id").bind(...cols).first<{ id: number }>();
  const id = made?.id ?? 0;
  const stored = await sealCredentials(deps, id as never, one.credentials, now);
  await env.DB.prepare("UPDATE channels SET credentials=?, credentials_expire_at=?, refresh_due_at=? WHERE id=?").bind(stored.sealed, stored.expireAt, stored.refreshDueAt, id).run();
  return { project, channel: { channel_type: name, channel_id: id } };
}
