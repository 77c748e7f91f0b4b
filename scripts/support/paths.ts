import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Refusal } from "./command.ts";

export const ROOT = resolve(import.meta.dirname, "..", "..");

/** The folder for persistent data of `npm start` and `npm run token`. */
export const stateDirectory = (): string => resolve(ROOT, process.env.STATE_DIR || join(".wrangler", "belfry"));

/** The minimum space for the built Workers and an empty database. */
const PROBE_BYTES = 16 * 1024 * 1024;

/**
 * Creates the state directory and tests a write. Throws a Refusal with the cause if it is a file, read-only
 * or full.
 */
export function requireWritable(directory: string): void {
  const probe = join(directory, `.probe.${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flush: true });
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = UNWRITABLE[code] ?? (error instanceof Error ? error.message : String(error));
    throw new Refusal(
      `${shortPath(directory)} cannot hold the state: ${why}. Choose another directory with STATE_DIR.`,
    );
  }
}

const UNWRITABLE: Readonly<Record<string, string>> = {
  EEXIST: "it is a file, not a directory",
  ENOTDIR: "a part of its path is a file, not a directory",
  ENOENT: "the directory cannot be created",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};

/** The path relative to the repository, as users write it. */
export function shortPath(path: string): string {
  const short = relative(ROOT, path);
  return short.startsWith("..") ? path : short;
}
