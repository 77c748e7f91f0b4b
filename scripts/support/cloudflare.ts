import { z } from "zod";
import { wrangler } from "./tools.ts";

/** What the account at Cloudflare says, through wrangler; nothing here changes anything. */

/** Whether wrangler may speak for somebody: a login, or CLOUDFLARE_API_TOKEN. */
export async function isLoggedIn(): Promise<boolean> {
  if (process.env.CLOUDFLARE_API_TOKEN) return true;
  const { code, output } = await wrangler(["whoami"]);
  return code === 0 && !/not authenticated|not logged in/i.test(output);
}

export type Listed =
  | { readonly kind: "secrets"; readonly names: readonly string[] }
  | { readonly kind: "no_worker" }
  | { readonly kind: "failed"; readonly why: string };

const Secrets = z.array(z.object({ name: z.string() }));

/** The names of the deployed Worker's secrets; their values cannot be read. */
export async function listSecrets(): Promise<Listed> {
  const { code, output } = await wrangler(["secret", "list", "--format", "json"]);
  if (/not found|does not exist|10007/i.test(output)) return { kind: "no_worker" };
  const json = /\[[\s\S]*\]/.exec(output)?.[0];
  if (code !== 0 || json === undefined) return { kind: "failed", why: output.trim() };
  return { kind: "secrets", names: Secrets.parse(JSON.parse(json)).map(({ name }) => name) };
}
