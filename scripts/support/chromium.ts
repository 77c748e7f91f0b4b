import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Refusal, type Scope } from "./command.ts";

/** A page of a headless Chromium, driven by its DevTools protocol: enough to look at our own pages. */
export interface ChromiumPage {
  resize(width: number, height: number): Promise<void>;
  open(url: string): Promise<void>;
  /** Runs a script that leads to another page, and waits for that page. */
  leave(script: string): Promise<void>;
  screenshot(quality: number): Promise<Buffer>;
}

const Target = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.string() }));
const Message = z.object({ id: z.number().optional(), method: z.string().optional(), result: z.unknown().optional() });

/** Starts the Chromium of the variable CHROMIUM, or the one in the path; it ends with the scope. */
export async function openChromium(scope: Scope): Promise<ChromiumPage> {
  const profile = mkdtempSync(join(tmpdir(), "belfry-chromium-"));
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(process.env.CHROMIUM || "chromium", args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise((resolve) => child.once("close", resolve));
  scope.defer(async () => {
    child.kill();
    await exited;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const port = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.once("error", () => reject(new Refusal("Chromium does not start. Set CHROMIUM to its program.")));
    child.stderr.setEncoding("utf8").on("data", (some) => {
      text += some;
      const [, found] = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const targets = Target.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const socket = new WebSocket(targets.find(({ type }) => type === "page")?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  let last = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  let onLoad: () => void = () => {};
  socket.addEventListener("message", ({ data }) => {
    const { id, method, result } = Message.parse(JSON.parse(String(data)));
    if (id !== undefined) waiting.get(id)?.(result);
    else if (method === "Page.loadEventFired") onLoad();
  });
  const send = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const andLoad = async (method: string, params: object) => {
    const loaded = new Promise<void>((resolve) => (onLoad = resolve));
    await send(method, params);
    await loaded;
  };
  await send("Page.enable");
  return {
    async resize(width, height) {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    },
    open: (url) => andLoad("Page.navigate", { url }),
    leave: (expression) => andLoad("Runtime.evaluate", { expression }),
    async screenshot(quality) {
      const Picture = z.object({ data: z.string() });
      return Buffer.from(
        Picture.parse(await send("Page.captureScreenshot", { format: "jpeg", quality })).data,
        "base64",
      );
    },
  };
}
