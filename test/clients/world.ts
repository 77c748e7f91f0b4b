import { inject } from "vitest";

/** The sandbox on a loopback port (sandbox-server.ts), and what the tests of all clients need of it. */

export const FACEBOOK = { id: "100000000000001", secret: "sandbox-facebook-secret", page: "104000000000001" };
export const INSTAGRAM = { id: "100000000000002", secret: "sandbox-instagram-secret", account: "17841400000000001" };
export const LINKEDIN = {
  id: "sandbox-linkedin-client",
  secret: "sandbox-linkedin-secret",
  member: "1001",
  page: "urn:li:organization:9001",
};
export const X = { id: "sandbox-x-client", secret: "sandbox-x-secret", account: "2244990001" };
export const GOOGLE = {
  id: "sandbox-google.apps.googleusercontent.com",
  secret: "sandbox-google-secret",
  channel: "UCsandboxBakery000000001",
};
export const THREADS = { id: "444000222000001", secret: "sandbox-threads-secret", account: "26000000000000001" };
export const TIKTOK = { key: "sandbox-tiktok-key", secret: "sandbox-tiktok-secret", account: "-000A5001" };
export const REDIRECT = {
  facebook: "https://planner.example/connect/callback/facebook",
  instagram: "https://planner.example/connect/callback/instagram",
  linkedin: "https://planner.example/connect/callback/linkedin",
  threads: "https://planner.example/connect/callback/threads",
  tiktok: "https://planner.example/connect/callback/tiktok",
  twitter: "https://planner.example/connect/callback/twitter",
  youtube: "https://planner.example/connect/callback/youtube",
};

export interface SandboxServer {
  /** Without a slash at the end. */
  origin: string;
}

/** The one that all files share, without a past or a setting. */
export async function emptySandbox(): Promise<SandboxServer> {
  const origin = inject("sandbox");
  await control(origin, "reset", {});
  return { origin };
}

/** Where the sandbox serves an address of a platform. */
export function served(origin: string, address: string | URL): string {
  const url = new URL(address);
  return `${origin}/${url.host}${url.pathname}${url.search}`;
}

export async function control(origin: string, path: string, body?: unknown): Promise<unknown> {
  const init =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`${origin}/_control/${path}`, init);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export async function sample(origin: string, name: string): Promise<Buffer> {
  const answer = await fetch(`${origin}/_media/${name}`);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/**
 * Allows everything that the client requests at this consent address; returns the redirect's parameters.
 */
export async function consent(
  origin: string,
  address: string,
  chosen: Record<string, string>,
): Promise<URLSearchParams> {
  const url = new URL(address);
  const form = new URLSearchParams({ decision: "allow", ...chosen });
  for (const [name, value] of url.searchParams) form.set(`query.${name}`, value);
  for (const scope of (url.searchParams.get("scope") ?? "").split(/[\s,]+/)) form.append("scope", scope);
  const answer = await fetch(served(origin, url), { method: "POST", body: form, redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`The consent page answered ${answer.status}: ${await answer.text()}`);
  return new URL(location).searchParams;
}
