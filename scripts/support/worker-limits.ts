import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONFIGS } from "./prepare.ts";
import type { Ended } from "./processes.ts";
import { wrangler } from "./tools.ts";

/**
 * Our own limits of each Worker: Cloudflare's (as of 2026-11) are 64 MiB, and one second of startup. A Worker
 * that is much smaller than its limit has a limit that says nothing.
 */
export const WORKER_LIMITS = {
  service: { of: "the Worker", maxGzipKib: 1_300, maxStartMs: 200 },
  banners: { of: "the Worker of banners", maxGzipKib: 1_850, maxStartMs: 200 },
} as const satisfies Readonly<Record<string, WorkerLimits>>;

export interface WorkerLimits {
  /** Its name within a sentence. */
  readonly of: string;
  readonly maxGzipKib: number;
  readonly maxStartMs: number;
}

/** A sentence, if the Worker has more than its limit. */
export const sizeProblem = ({ of, maxGzipKib }: WorkerLimits, gzipKib: number): string | null =>
  gzipKib > maxGzipKib ? `${capital(of)} is ${gzipKib} KiB gzipped; our own limit is ${maxGzipKib} KiB.` : null;

export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The number of starts, of which the fastest counts: other processes on this machine only slow it down. */
const STARTS = 3;

/** Checks that each Worker is small enough to upload and starts fast enough, measured on this machine. */
export async function checkLimits(): Promise<Ended> {
  for (const name of ["service", "banners"] as const) {
    const checked = await checkWorker(CONFIGS[name], WORKER_LIMITS[name]);
    if (checked.code !== 0) return checked;
  }
  return { code: 0, output: "" };
}

async function checkWorker(config: string, limits: WorkerLimits): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-startup-"));
  try {
    const starts: number[] = [];
    for (let attempt = 0; attempt < STARTS; attempt += 1) {
      // It builds by a deployment of its own, to which only these reach.
      const args = ["check", "startup", `--args=--config ${config}`, "--outfile", join(folder, "profile")];
      const { code, output } = await wrangler(args);
      const measured = readStartup(output);
      if (code !== 0 || measured === null) return { code: 1, output };
      const { gzipKib, startMs } = measured;
      const problem = sizeProblem(limits, gzipKib);
      if (problem !== null) return tooMuch(problem);
      if (startMs <= limits.maxStartMs) return { code: 0, output: "" };
      starts.push(startMs);
    }
    return tooMuch(
      `${capital(limits.of)} starts with ${Math.min(...starts)} ms of work; our own limit is ${limits.maxStartMs} ms.`,
    );
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
