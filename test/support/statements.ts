import { env } from "cloudflare:workers";
import { createMeter } from "../../src/core/meter.ts";
import { meteredD1 } from "../../src/db/metered.ts";

/**
 * The texts that the service gives to D1, as the tests run it: scripts/support/statements.ts explains them at
 * the end of the run. What a test reads or writes by the binding itself is not among them.
 */
const texts = new Set<string>();

/** The texts since the last call. */
export function takeTexts(): readonly string[] {
  const taken = [...texts];
  texts.clear();
  return taken;
}

interface Database {
  prepare(query: string): unknown;
}

const MARK = Symbol.for("belfry.statements");

/** Collects from here on, in every database of this runtime. Repeatable: files share a runtime. */
export function collectTexts(): void {
  const shared: Database & { [MARK]?: (text: string) => void } = Object.getPrototypeOf(
    meteredD1(env.DB, createMeter()),
  );
  const isCollecting = shared[MARK] !== undefined;
  // The newest copy of this module takes them: each file may load its own.
  shared[MARK] = (text) => texts.add(text);
  if (isCollecting) return;
  const { prepare } = shared;
  shared.prepare = function collecting(this: Database, query: string) {
    shared[MARK]?.(query);
    return prepare.call(this, query);
  };
}
