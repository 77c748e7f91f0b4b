import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "vitest";
import { hashInputs } from "../../scripts/support/build-inputs.ts";

/** Whether a build may be used again depends on this hash alone. */
test("the hash of a build's inputs changes with each of them, and with nothing else", ({ expect }) => {
  const root = mkdtempSync(join(tmpdir(), "belfry-inputs-"));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const changes: readonly (() => void)[] = [
    () => write("src/worker.ts", "one"),
    () => write("src/worker.ts", "two"),
    () => write("src/deep/er/other.tsx", "two"),
    () => renameSync(join(root, "src/worker.ts"), join(root, "src/service.ts")),
    () => write("locales/en/feeds.json", "{}"),
    () => write("sandbox/worker.ts", ""),
    () => write("docs/README.md", "# Docs"),
    () => write("scripts/build.ts", ""),
    () => write("wrangler.toml", "name"),
    () => write("wrangler.databases.toml", "name"),
    () => write("package-lock.json", "{}"),
    () => rmSync(join(root, "src/service.ts")),
  ];
  const hashAfter = (change: () => void) => {
    change();
    return hashInputs(root);
  };
  const hashes = [hashInputs(root), ...changes.map(hashAfter)];
  expect(new Set(hashes).size).toBe(hashes.length);
  for (const name of ["test/a.test.ts", "src/node_modules/a.ts", "scripts/node/a.ts", "README.md", "dist/worker.js"]) {
    write(name, "");
    expect([name, hashInputs(root)]).toEqual([name, hashes.at(-1)]);
  }
  rmSync(root, { recursive: true });
});
