import { join, relative, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "..", "..");

/** Where `npm start` and `npm run token` keep what must outlive them. */
export const stateDirectory = (): string => resolve(ROOT, process.env.STATE_DIR || join(".wrangler", "belfry"));

/** As a person in the repository would write it. */
export function shortPath(path: string): string {
  const short = relative(ROOT, path);
  return short.startsWith("..") ? path : short;
}
