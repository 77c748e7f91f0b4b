import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Where `npm start` and `npm run token` keep what must outlive them. */
export const stateDirectory = () => resolve(ROOT, process.env.STATE_DIR || join(".wrangler", "belfry"));

/** As a person in the repository would write it. */
export function shortPath(path) {
  const short = relative(ROOT, path);
  return short.startsWith("..") ? path : short;
}
