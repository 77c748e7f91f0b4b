import { beforeAll, describe } from "vitest";
import { rewind } from "./clock.ts";
import { queue } from "./queue.ts";
import { sandbox } from "./sandbox.ts";

/**
 * Several files of tests in one runtime, whose start costs more than most of them. Each finds a sandbox without a past or a
 * setting, nothing on its way in the queue, and the present; rows of those before it are still there.
 */
export function parts(files: Readonly<Record<string, () => Promise<unknown>>>): void {
  for (const [name, load] of Object.entries(files)) {
    describe(name, async () => {
      beforeAll(begin);
      await load();
    });
  }
}

async function begin(): Promise<void> {
  queue.loseAll();
  await sandbox.control("POST", "reset");
  await rewind();
}
