import { z } from "zod";
import { deploymentConfig } from "./deployment.ts";
import { wrangler } from "./tools.ts";

/** Read-only queries of the Cloudflare account, through wrangler. */

/** Whether wrangler is authenticated: by a login or CLOUDFLARE_API_TOKEN. */
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
  const { code, output } = await wrangler(["secret", "list", "--format", "json", "--config", deploymentConfig()]);
  if (/not found|does not exist|10007/i.test(output)) return { kind: "no_worker" };
  const json = /\[[\s\S]*\]/.exec(output)?.[0];
  if (code !== 0 || json === undefined) return { kind: "failed", why: output.trim() };
  return { kind: "secrets", names: Secrets.parse(JSON.parse(json)).map(({ name }) => name) };
}

/** The given names that are not queues of the account. */
export async function missingQueues(names: ReadonlySet<string>): Promise<readonly string[]> {
  const missing = new Set(names);
  for (let page = 1; page <= MAX_PAGES && missing.size > 0; page++) {
    const { code, output } = await wrangler(["queues", "list", "--page", String(page)]);
    const cells = output.split(/[\s│]+/);
    const isLast = code !== 0 || !cells.some((cell) => /^[0-9a-f]{32}$/.test(cell));
    for (const cell of cells) missing.delete(cell);
    if (isLast) break;
  }
  return [...missing];
}
/** Each page lists some dozens of queues. */
const MAX_PAGES = 5;
