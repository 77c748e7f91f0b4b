import { Multipart } from "../../src/platforms/multipart.ts";
import { type PlatformPart, partNow } from "./platform-parts.ts";

/**
 * The requests that adapters send to the sandbox, as the tests run them: scripts/support/foreign/check.ts
 * compares them with the vendors' descriptions at the end of the run. One of each shape.
 */
export interface SentCall {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly body: unknown;
  /** What sent it; null: a test that calls an adapter past the registry. */
  readonly by: PlatformPart | null;
}

const calls = new Map<string, SentCall>();

/** The requests since the last call. */
export function takeCalls(): readonly SentCall[] {
  const taken = [...calls.values()];
  calls.clear();
  return taken;
}

const SANDBOX = "http://sandbox.test/";
const MARK = Symbol.for("belfry.calls");
interface Marked {
  [MARK]?: (call: SentCall) => void;
}

/** Collects from here on. Repeatable: files share a runtime. */
export function collectCalls(): void {
  const shared: typeof globalThis & Marked = globalThis;
  const isCollecting = shared[MARK] !== undefined;
  // The newest copy of this module takes them: each file may load its own.
  shared[MARK] = (call) => calls.set(shapeOf(call), call);
  if (isCollecting) return;
  const fields = collectFields();
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const call = typeof input === "string" ? callOf(input, init, fields) : null;
    if (call) shared[MARK]?.(call);
    return fetch(input, init);
  };
}

/** Names and texts of multipart bodies, which are streams by the time they are sent. */
function collectFields(): WeakMap<object, Record<string, string>> {
  const fields = new WeakMap<object, Record<string, string>>();
  const own = new WeakMap<object, Record<string, string>>();
  const { set, encode } = Multipart.prototype;
  Multipart.prototype.set = function collecting(name, value) {
    own.set(this, { ...own.get(this), [name]: typeof value === "string" ? value : "" });
    return set.call(this, name, value);
  };
  Multipart.prototype.encode = function collecting(signal) {
    const encoded = encode.call(this, signal);
    fields.set(encoded.body, own.get(this) ?? {});
    return encoded;
  };
  return fields;
}

/** The request to a platform; null for the sandbox's own pages and for everything else. */
function callOf(
  address: string,
  init: Parameters<typeof fetch>[1],
  fields: WeakMap<object, Record<string, string>>,
): SentCall | null {
  const [, host, path] = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(\/[^?]*)?/.exec(address.slice(SANDBOX.length)) ?? [];
  if (!address.startsWith(SANDBOX) || host === undefined) return null;
  const url = new URL(address);
  const query = [...url.searchParams];
  return {
    method: init?.method ?? "GET",
    host,
    path: path ?? "/",
    query,
    body: bodyOf(init?.body, fields),
    by: partNow(),
  };
}

function bodyOf(body: unknown, fields: WeakMap<object, Record<string, string>>): unknown {
  if (body instanceof URLSearchParams) return Object.fromEntries(body);
  if (typeof body === "object" && body !== null && fields.has(body)) return fields.get(body);
  const text = body instanceof Uint8Array && body[0] === 0x7b ? new TextDecoder().decode(body) : body;
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The same for requests that differ by ids and texts only. */
function shapeOf({ method, host, path, query, body, by }: SentCall): string {
  const names = query.map(([name, value]) => [
    name,
    /^[\w.,(){}=-]{0,2000}$/.test(value) && !/\d/.test(value) ? value : "",
  ]);
  return JSON.stringify([method, host, path.replace(/[^/]*\d[^/]*/g, "*"), names, namesIn(body), by]);
}

function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, namesIn(item)]));
}
