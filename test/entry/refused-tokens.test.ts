import { beforeEach, expect, test, vi } from "vitest";
import { sweep } from "../../src/entry/dispatch.ts";
import { createDeps, type Deps } from "../../src/service/deps.ts";
import { bindings } from "../support/queue.ts";
import { projectWith } from "../support/world.ts";

beforeEach(async () => {
  await projectWith("facebook");
});

/** The errors that a sweep logs: its event, and the part that failed. */
async function errorsOf(deps: Deps): Promise<readonly string[]> {
  const written = vi.spyOn(console, "error").mockImplementation(() => {});
  await sweep(deps);
  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
  written.mockRestore();
  return lines.map(({ event, part }) => [event, part].filter(Boolean).join(" "));
}

const removed = { ...bindings, SIGNING_KEY: "a key that signed no token of this service" };
const otherKey = () => createDeps(removed, {});

test("a sweep reports that tokens are refused whose signing key was removed", async () => {
  expect(await errorsOf(otherKey())).toContain("tokens_of_unknown_key");
  expect(await errorsOf(createDeps(bindings, {}))).toEqual([]);
});

test("a sweep that cannot read what is due reports that alone", async () => {
  const deps = otherKey();
  const get = () => Promise.reject(new Error("KV does not answer"));
  const kv = new Proxy(deps.kv, { get: (own, name) => (name === "get" ? get : Reflect.get(own, name)) });
  const errors = await errorsOf({ ...deps, kv });
  expect(errors).toContain("sweep_failed findDue");
  expect(errors).not.toContain("tokens_of_unknown_key");
});
