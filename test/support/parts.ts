import { beforeAll, describe } from "vitest";
import { startClean } from "./clean-start.ts";

/** Files of tests that are loaded into one file, each with a clean start. */
export function parts(files: Readonly<Record<string, () => Promise<unknown>>>): void {
  for (const [name, load] of Object.entries(files)) {
    describe(name, async () => {
      beforeAll(startClean);
      await load();
    });
  }
}
