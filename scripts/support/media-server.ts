import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Scope } from "./command.ts";
import { ROOT } from "./paths.ts";

/** Pictures and videos on a loopback port, served as slowly as a command wants them. */

export interface MediaServer {
  /** Any number of addresses of the same file, so that no two posts share one. */
  picture(name: string): string;
  /** A picture each request of which takes `slowMs`. */
  slowPicture(name: string): string;
  /** A picture that nobody gets before it is released; `asked` resolves once somebody wants it. */
  hold(): Held;
  /** A video of this many bytes: five seconds of film and a long empty box behind it, made as it is read. */
  video(name: string, bytes: number): string;
  slowMs: number;
}

export interface Held {
  readonly url: string;
  readonly asked: Promise<void>;
  release(): void;
}

interface Source {
  readonly type: string;
  readonly size: number;
  read(from: number, to: number): Iterable<Uint8Array>;
}

const PIECE = Buffer.alloc(256 * 1024);
/** An empty box of MP4: its length in four bytes, and its name. */
const BOX_HEAD_BYTES = 8;

/** Ends with the scope. */
export async function startMediaServer(scope: Scope, slowMs: number): Promise<MediaServer> {
  const picture = fileSource("image/jpeg", sample("square.jpg"));
  const clip = sample("clip.mp4");
  const gates: Gate[] = [];
  const state = { slowMs };

  const find = async (pathname: string): Promise<Source | null> => {
    const [, kind, number] = /^\/(picture|slow|held|video)\/(?:(\d+)\/)?[\w-]+\.\w+$/.exec(pathname) ?? [];
    if (kind === "slow") await sleep(state.slowMs);
    if (kind === "held") await passGate(gates[Number(number)]);
    if (kind === "video") return paddedVideo(clip, Number(number));
    return kind === undefined ? null : picture;
  };
  const server = createServer(async (request, response) => {
    const source = await find(new URL(request.url ?? "/", "http://any").pathname);
    if (source) serve(source, request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.defer(() => {
    for (const { released } of gates) released.resolve();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A listener without a port.");
  const origin = `http://localhost:${address.port}`;
  return {
    picture: (name) => `${origin}/picture/${name}.jpg`,
    slowPicture: (name) => `${origin}/slow/${name}.jpg`,
    hold() {
      const gate = { asked: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      const url = `${origin}/held/${gates.push(gate) - 1}/picture.jpg`;
      return { url, asked: gate.asked.promise, release: gate.released.resolve };
    },
    video: (name, bytes) => `${origin}/video/${bytes}/${name}.mp4`,
    get slowMs() {
      return state.slowMs;
    },
    set slowMs(ms) {
      state.slowMs = ms;
    },
  };
}

interface Gate {
  readonly asked: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
}

async function passGate(gate: Gate | undefined): Promise<void> {
  gate?.asked.resolve();
  await gate?.released.promise;
}

const sample = (name: string): Buffer => readFileSync(join(ROOT, "sandbox", "media", name));

function fileSource(type: string, file: Buffer): Source {
  return { type, size: file.length, read: (from, to) => [file.subarray(from, to)] };
}

function paddedVideo(clip: Buffer, size: number): Source {
  const box = Buffer.alloc(BOX_HEAD_BYTES);
  box.writeUInt32BE(size - clip.length);
  box.write("free", 4);
  const head = Buffer.concat([clip, box]);
  return {
    type: "video/mp4",
    size,
    *read(from, to) {
      if (from < head.length) yield head.subarray(from, to);
      for (let at = Math.max(from, head.length); at < to; at += PIECE.length) yield PIECE.subarray(0, to - at);
    },
  };
}

/** GET and HEAD, with one range. */
function serve(source: Source, request: IncomingMessage, response: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const from = Number(range?.[1] ?? 0);
  const to = range?.[2] ? Math.min(source.size, Number(range[2]) + 1) : source.size;
  if (from >= to) {
    response.writeHead(416, { "Content-Range": `bytes */${source.size}` }).end();
    return;
  }
  response.writeHead(range ? 206 : 200, {
    "Content-Type": source.type,
    "Content-Length": to - from,
    "Accept-Ranges": "bytes",
    ...(range ? { "Content-Range": `bytes ${from}-${to - 1}/${source.size}` } : {}),
  });
  if (request.method === "HEAD") response.end();
  // A reader that goes away in the middle is nothing to complain about.
  else
    Readable.from(source.read(from, to))
      .on("error", () => response.destroy())
      .pipe(response)
      .on("error", () => {});
}
