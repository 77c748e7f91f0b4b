import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/support/paths.ts";
import { findFreePort } from "../../scripts/support/ports.ts";

/** Debian's Chromium, or one that a person has installed; null without one. */
export const CHROMIUM =
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path)) ?? null;

export interface Started {
  /** What `npm start` prints: the address that signs in to the project Demo. */
  readonly address: string;
  readonly origin: string;
  /** Another address that signs in, of `npm run account`. */
  signInAddress(): Promise<string>;
  stop(): Promise<void>;
}

/** `npm start` with a state and ports of its own, until it prints its address. */
export async function startService(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-browser-"));
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const env = { STATE_DIR: folder, PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
  const server = run("start", [], env);
  const address = await printed(server, /Console\s+(http\S+)/);
  return {
    address,
    origin: new URL(address).origin,
    signInAddress: () =>
      printed(run("account", ["--email", "demo@example.com", "--project", "Demo"], env), /(http\S+\/link\/\w+)/),
    async stop() {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await gone;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function run(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [join("scripts", "run.mjs"), join("scripts", `${name}.ts`), ...args], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function printed(child: ReturnType<typeof run>, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    child.once("exit", () => reject(new Error(`It ended before it printed an address:\n${text}`)));
  });
}
