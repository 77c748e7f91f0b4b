import { onTestFinished } from "vitest";
import type { Scope } from "../../scripts/support/command.ts";

/** Its cleanups run when the test ends. */
export const testScope = (): Scope => ({
  isEnding: false,
  defer: (end) => onTestFinished(() => void end()),
});
