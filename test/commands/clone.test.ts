import { cpSync, existsSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { onTestFinished, test } from "vitest";
import { callJson, waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { startGuarded } from "../../scripts/support/processes.ts";
import { temporaryFolder } from "./command.ts";

/** What git does not know, or what would make it more than a clone. */
const OWN = [".git", ".wrangler", "node_modules", "dist", "coverage", ".dev.vars", ".prod.vars"];

/** This checkout as a clone after `npm ci`: nothing built, nothing configured. */
function clone(): string {
  const folder = join(temporaryFolder(), "belfry");
  for (const name of readdirSync(ROOT)) {
    if (OWN.includes(name)) continue;
    const filter = (path: string) => basename(path) !== "node_modules";
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Where it is, and without the secrets that the other tests go by. */
const SCRIPT =
  'cd "$1" && shift && unset CREDENTIAL_KEYS SIGNING_KEY OPERATOR_KEY && exec node_modules/.bin/wrangler "$@"';

/** `npx wrangler …` in that folder. */
function wrangler(folder: string, ...args: readonly string[]) {
  const lines: string[] = [];
  const command = startGuarded("sh", ["-c", SCRIPT, "sh", folder, ...args], { onLine: (line) => lines.push(line) });
  onTestFinished(() => command.stop());
  return lines;
}

test("`npx wrangler dev` makes the assets of a clone, starts, and says what is missing", async ({ expect }) => {
  const folder = clone();
  const port = await findFreePort();
  const printed = wrangler(folder, "dev", "--port", String(port), "--inspector-port", "0");
  const answer = await waitFor(() => callJson("GET", `http://127.0.0.1:${port}/healthz`).catch(() => null), {
    timeoutMs: 180_000,
  });
  expect(answer).toMatchObject({
    status: 503,
    body: {
      code: "not_ready",
      problems: ["CREDENTIAL_KEYS", "SIGNING_KEY"].map((variable) => ({
        variable,
        problem: "is missing",
      })),
    },
  });
  expect(existsSync(join(folder, "dist", "assets", "docs", "reference.html"))).toBe(true);
  expect(printed.join("\n")).toContain("Missing required secrets: CREDENTIAL_KEYS, SIGNING_KEY, OPERATOR_KEY");
});
