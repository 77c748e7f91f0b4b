import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import type { Scope } from "./command.ts";
import { listenLocally } from "./http.ts";
import { ROOT } from "./paths.ts";

/** Serves images and videos on a loopback port, with a configurable delay. */

export interface MediaServer {
  /** Any number of URLs of the same file, so that every post has its own. */
  picture(name: string): string;
  /** A photo of 12 megapixels with more bytes than X takes, each with other bytes. */
  photo(name: string): string;
  /** An image that takes `slowMs` per request. */
  slowPicture(name: string): string;
  /** An image that is served only after its release; `wanted` resolves at the first request. */
  hold(): Held;
  /**
   * A video of this many bytes: five seconds of video followed by a long empty box that is generated on read.
   */
  video(name: string, bytes: number): string;
  slowMs: number;
}

interface Held {
  readonly url: string;
  readonly wanted: Promise<void>;
  release(): void;
}

interface Source {
  readonly type: string;
  readonly size: number;
  read(from: number, to: number): Iterable<Uint8Array>;
}

const PIECE = Buffer.alloc(256 * 1024);
/** An empty MP4 box: four bytes of length and the name. */
const BOX_HEAD_BYTES = 8;

/** Stops with the scope. */
export async function startMediaServer(scope: Scope, slowMs: number): Promise<MediaServer> {
  const picture = fileSource("image/jpeg", sample("square.jpg"));
  const clip = sample("clip.mp4");
  const gates: Gate[] = [];
  const state = { slowMs };

  const find = async (pathname: string): Promise<Source | null> => {
    const [, kind, number, name = ""] =
      /^\/(picture|slow|held|video|photo)\/(?:(\d+)\/)?([\w-]+)\.\w+$/.exec(pathname) ?? [];
    // What follows the end of a JPEG makes it another file, and is no part of the picture.
    if (kind === "photo") return fileSource("image/jpeg", Buffer.concat([await paintPhoto(), Buffer.from(name)]));
    if (kind === "slow") await sleep(state.slowMs);
    if (kind === "held") await passGate(gates[Number(number)]);
    if (kind === "video") return paddedVideo(clip, Number(number));
    return kind === undefined ? null : picture;
  };
  const port = await listenLocally(scope, async (request, response) => {
    const source = await find(new URL(request.url ?? "/", "http://any").pathname);
    if (source) serve(source, request, response);
    else response.writeHead(404).end();
  });
  scope.defer(() => {
    for (const { released } of gates) released.resolve();
  });
  const origin = `http://localhost:${port}`;
  return {
    picture: (name) => `${origin}/picture/${name}.jpg`,
    photo: (name) => `${origin}/photo/${name}.jpg`,
    slowPicture: (name) => `${origin}/slow/${name}.jpg`,
    hold() {
      const gate = { wanted: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      const url = `${origin}/held/${gates.push(gate) - 1}/picture.jpg`;
      return { url, wanted: gate.wanted.promise, release: gate.released.resolve };
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

let photo: Promise<Buffer> | null = null;

/** Noise, painted once: about 8 MB. */
function paintPhoto(): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 25 } as const;
  const create = { width: 4032, height: 3024, channels: 3, background: "#888", noise } as const;
  photo ??= sharp({ create }).jpeg({ quality: 92 }).toBuffer();
  return photo;
}

interface Gate {
  readonly wanted: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
}

async function passGate(gate: Gate | undefined): Promise<void> {
  gate?.wanted.resolve();
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

/** Serves GET and HEAD, with one range. */
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
  // A client that disconnects early is not an error.
  else
    Readable.from(source.read(from, to))
      .on("error", () => response.destroy())
      .pipe(response)
      .on("error", () => {});
}
