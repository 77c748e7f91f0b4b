import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ended } from "./processes.ts";
import { wrangler } from "./tools.ts";

/** Our own limits: Cloudflare's (as of 2026-11) are 64 MiB, and one second of startup. */
export const MAX_GZIP_KIB = 3 * 1024;
const MAX_START_MS = 200;
/** The number of starts, of which the fastest counts: other processes on this machine only slow it down. */
const STARTS = 3;

/** Checks that the Worker is small enough to upload and starts fast enough, measured on this machine. */
export async function checkLimits(): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-startup-"));
  try {
    const starts: number[] = [];
    for (let attempt = 0; attempt < STARTS; attempt += 1) {
      const { code, output } = await wrangler(["check", "startup", "--outfile", join(folder, "profile")]);
      const measured = readStartup(output);
      if (code !== 0 || measured === null) return { code: 1, output };
      const { gzipKib, startMs } = measured;
      if (gzipKib > MAX_GZIP_KIB)
        return tooMuch(`The Worker is ${gzipKib} KiB gzipped; our own limit is ${MAX_GZIP_KIB} KiB.`);
      if (startMs <= MAX_START_MS) return { code: 0, output: "" };
      starts.push(startMs);
    }
    return tooMuch(`The Worker starts with ${Math.min(...starts)} ms of work; our own limit is ${MAX_START_MS} ms.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tooMuch = (sentence: string): Ended => ({ code: 1, output: `${sentence}\n` });

/** Parses the output of `wrangler check startup`; null if it has another format. */
function readStartup(output: string): { readonly gzipKib: number; readonly startMs: number } | null {
  const [, gzip] = /Bundle: [\d.]+ KiB \/ gzip: ([\d.]+) KiB/.exec(output) ?? [];
  const [, active] = /Active: ([\d.]+) ms/.exec(output) ?? [];
  return gzip === undefined || active === undefined ? null : { gzipKib: Number(gzip), startMs: Number(active) };
}
