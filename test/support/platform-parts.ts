import { AsyncLocalStorage } from "node:async_hooks";
import { platforms } from "../../src/platforms/registry.ts";

/**
 * Which part of which adapter is at work: each method of the registered adapters notes it while it runs, so
 * that a request is known by what it is for (calls.ts).
 */
export interface PlatformPart {
  readonly platform: string;
  /** The member of `Platform`: `insights`. */
  readonly part: string;
}

/** Members that call the platform. */
const PARTS = [
  "oauth",
  "additionalLogins",
  "grants",
  "posts",
  "comments",
  "messages",
  "conversations",
  "insights",
  "webhooks",
  "ads",
  "deauthorizing",
] as const;

const MARK = Symbol.for("belfry.platform-parts");
interface Marked {
  [MARK]?: { readonly running: AsyncLocalStorage<PlatformPart>; readonly noting: WeakSet<object> };
}
const shared: typeof globalThis & Marked = globalThis;
// One for all copies of this module: each file may load its own.
shared[MARK] ??= { running: new AsyncLocalStorage(), noting: new WeakSet() };
const { running, noting: known } = shared[MARK];

export const partNow = (): PlatformPart | null => running.getStore() ?? null;

/**
 * Notes the parts of this copy of the registry from here on. Repeatable: files share a runtime, and a part
 * within one proxy of each file before takes longer with every file.
 */
export function noteParts(): void {
  for (const [name, platform] of Object.entries(platforms)) {
    for (const part of PARTS) {
      const member: unknown = Reflect.get(platform, part);
      if (!isObject(member) || known.has(member)) continue;
      const noted = noting(member, { platform: name, part });
      known.add(noted);
      Reflect.set(platform, part, noted);
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
/** Not a part with methods of its own: schemas, and what the language has. */
const isValue = (value: object): boolean =>
  "_zod" in value || [Map, Set, RegExp, Date, URL].some((kind) => value instanceof kind);

function noting(member: object, part: PlatformPart): object {
  return new Proxy(member, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (isObject(value)) return isValue(value) ? value : noting(value, part);
      if (typeof value !== "function" || Array.isArray(target)) return value;
      return (...args: unknown[]) => {
        const made: unknown = running.run(part, () => Reflect.apply(value, target, args));
        // What a generator does runs as it is read.
        return isObject(made) && Symbol.asyncIterator in made ? noting(made, part) : made;
      };
    },
  });
}
