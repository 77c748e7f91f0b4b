import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished } from "vitest";
import { waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";
import { temporaryFolder } from "./command.ts";
import type { Block } from "./shell.ts";

/** How an example of the guide to webhooks is started. */
const LANGUAGES: Readonly<Record<string, (file: string, port: number) => readonly [string, ...string[]]>> = {
  js: (file) => [process.execPath, file],
  python: (file) => ["python3", "-u", file],
  php: (file, port) => ["php", "-S", `localhost:${port}`, file],
};

/** What an example must contain, on machines without its language, where it is only read. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  python: ["f\"{self.headers['webhook-id']}.{sent}.\".encode() + body", "hashlib.sha256", "compare_digest", "< 300"],
  php: [
    "base64_decode(substr(getenv('BELFRY_SECRET'), strlen('whsec_')))",
    "file_get_contents('php://input')",
    "[$_SERVER['HTTP_WEBHOOK_ID'], $_SERVER['HTTP_WEBHOOK_TIMESTAMP']]",
    "'v1,' . base64_encode(hash_hmac('sha256', \"$id.$time.$body\", $secret, true))",
    "explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'])",
    "hash_equals($own, $one)",
    "abs(time() - (int) $time) < 300 ? 204 : 400",
  ],
};

/** An empty folder where `belfry-client` can be imported, once it is built. */
export function folderWithClient(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "client"), join(folder, "node_modules", "belfry-client"));
  return folder;
}

/** Starts a receiver of the guide and checks it: it accepts what the secret signed, and nothing else. */
export async function checkReceiver({ language, text }: Block): Promise<void> {
  const port = await findFreePort();
  const folder = folderWithClient();
  const file = join(folder, language === "js" ? "hooks.mjs" : "hooks");
  writeFileSync(file, text.replaceAll("3000", String(port)));
  const [program, ...args] = LANGUAGES[language]?.(file, port) ?? [""];
  if (spawnSync(program, ["--version"]).status !== 0) {
    process.stdout.write(`${language} is not installed: its example of the guide to webhooks was read, not run.\n`);
    for (const part of PARTS[language] ?? []) expect(text, language).toContain(part);
    return;
  }
  const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, BELFRY_SECRET: secret },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill());
  const body = JSON.stringify({ type: "post.published", data: { post_id: 42 } });
  const at = new Date();
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
  };
  const send = (sent: string) => fetch(`http://localhost:${port}/hooks`, { method: "POST", headers, body: sent });
  const first = await waitFor(async () => (await send(body).catch(() => null))?.status, { timeoutMs: 20_000 });
  expect(first, language).toBe(204);
  expect((await send(body.replace("42", "43"))).status, language).toBe(400);
}
