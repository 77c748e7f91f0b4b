import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { Belfry, verifyWebhook } from "../../client/src/index.ts";
import { listenLocally, waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";
import { runTool } from "../../scripts/support/tools.ts";
import { seededRandom } from "../support/random.ts";
import { runToEnd } from "./command.ts";
import { testScope } from "./test-scope.ts";
import { type Fate, startProxy } from "./unreliable-proxy.ts";

/** The client package against the service that a test has started. CLIENT_POSTS=1000 is the long form. */
const POSTS = Number(process.env.CLIENT_POSTS ?? 60);
const SEED = Number(process.env.CLIENT_SEED ?? 7);
const AT_ONCE = 30;
const CLIENT = join(ROOT, "client");
export const BELFRY = join(CLIENT, "dist", "cli.js");

export interface Served {
  readonly url: string;
  readonly token: string;
  /** On Facebook. */
  readonly channelId: number;
}

export interface Creates {
  readonly wanted: number;
  /** The ids that the client received. */
  readonly created: readonly number[];
  /** The ids of the posts that exist. */
  readonly listed: readonly number[];
  readonly fates: ReadonlyMap<Fate, number>;
}

/** Creates drafts through a proxy that drops, delays and repeats what passes through it. */
export async function createThroughProxy({ url, token, channelId }: Served): Promise<Creates> {
  const proxy = await startProxy(testScope(), url, seededRandom(SEED));
  const belfry = new Belfry({ url: proxy.origin, token, timeoutMs: 2_000, retries: 20 });
  const since = Date.now();
  const waiting = Array.from({ length: POSTS }, (_, index) => `client-${since}-${index}`);
  const created: number[] = [];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const where = { channel_type: "facebook", channel_id: channelId, post_type: "post" } as const;
      const content = { caption_text: name, external_id: name, media_urls: [] };
      created.push((await belfry.createPost({ ...where, ...content, publish_mode: "draft" })).post_id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const listed: number[] = [];
  const query = { channels: "facebook", status: "draft", limit: 100 };
  for await (const { post_id } of belfry.list("/social/get-posts", { query })) listed.push(post_id);
  return { wanted: POSTS, created, listed, fates: proxy.counts };
}

/** Runs `belfry` of the built package to its end; returns its lines of JSON. */
export async function runBelfry({ url, token }: Served, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runToEnd(process.execPath, [BELFRY, ...args], {
    BELFRY_URL: url,
    BELFRY_TOKEN: token,
  });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim().split("\n").map(parsed);
}

/** The types of the events that `belfry listen` sends on while `act` runs, until the wanted one came. */
export async function forwardedTypes(
  { url, token }: Served,
  wanted: string,
  act: () => Promise<unknown>,
): Promise<readonly string[]> {
  const types: string[] = [];
  let secret = "";
  const port = await listenLocally(testScope(), async (request, response) => {
    types.push(verifyWebhook(await text(request), request.headers, secret).type);
    response.writeHead(204).end();
  });
  const env = { ...process.env, BELFRY_URL: url, BELFRY_TOKEN: token };
  const args = [BELFRY, "listen", "--forward", `http://localhost:${port}/`];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.setEncoding("utf8").once("data", (line: string) => {
    ({ secret } = z.object({ secret: z.string() }).parse(parsed(line)));
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    if (!(await waitFor(async () => secret !== "", { timeoutMs: 20_000 }))) throw new Error("It does not listen.");
    await act();
    await waitFor(async () => types.includes(wanted), { timeoutMs: 90_000 });
  } finally {
    child.kill("SIGINT");
    await exited;
  }
  return types;
}

const parsed = (line: string): unknown => JSON.parse(line);

/** Stores bytes over a real connection; returns how many the service has received. */
export async function uploadBytes({ url, token }: Served, file: Uint8Array<ArrayBuffer>): Promise<number> {
  return (await new Belfry({ url, token }).upload(file)).bytes;
}

/** Builds the package as `npm pack` does; returns its files. */
export async function buildPackage(): Promise<readonly string[]> {
  const { code, output } = await runTool("tsc", ["--project", join(CLIENT, "tsconfig.build.json")]);
  if (code !== 0) throw new Error(output);
  return readdirSync(join(CLIENT, "dist"));
}

/** Runs the first example of its README; returns what it prints. */
export async function runExample({ url, token, channelId }: Served): Promise<string> {
  const [, example = ""] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(CLIENT, "README.md"), "utf8")) ?? [];
  // Within the package, its name means itself.
  const file = join(CLIENT, "dist", "example.mjs");
  writeFileSync(file, example.replace("channel_id: 12", `channel_id: ${channelId}`));
  const env = { ...process.env, BELFRY_URL: url, BELFRY_TOKEN: token };
  const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
  return text(child.stdout);
}
