import { callsTo, type Name } from "./world.ts";

/** Answers of a platform that are changed on their way to the Worker, after the platform has acted. */
export interface Exchange {
  readonly kind: string;
  /** The sandbox's name for what was called; null where it has none. */
  readonly operation: string | null;
  readonly answer: Response;
}

/** Replaces the answer; null leaves it unchanged. */
export type Spoil = (exchange: Exchange) => Response | null | Promise<Response | null>;

/** A call as its platform distinguishes it: without ids and versions. */
export function kindOf(method: string, { host, pathname }: URL): string {
  const parts = pathname.split("/").map((part) => (/\d{3}|^[\w-]{30,}$/.test(part) ? "#" : part));
  return `${method} ${host}${parts.join("/")}`;
}

/** Runs something while calls of these kinds do not reach the platform, and are answered so. */
export async function refusing(
  kinds: ReadonlySet<string>,
  answer: () => Response,
  run: () => Promise<void>,
): Promise<void> {
  const reach = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    return kinds.has(kindOf(method, url)) ? answer() : reach(input, init);
  };
  try {
    await run();
  } finally {
    globalThis.fetch = reach;
  }
}

/** Runs something while each answer of the platform passes through `spoil`. */
export async function spoiling(name: Name, spoil: Spoil, run: () => Promise<void>): Promise<void> {
  const reach = globalThis.fetch;
  let last = (await callsTo(name)).at(-1)?.id ?? 0;
  globalThis.fetch = async (input, init) => {
    const answer = await reach(input, init);
    const newest = (await callsTo(name)).at(-1);
    if (!newest || newest.id <= last) return answer;
    last = newest.id;
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    const kind = kindOf(method, new URL(input instanceof Request ? input.url : input));
    return (await spoil({ kind, operation: newest.operation, answer })) ?? answer;
  };
  try {
    await run();
  } finally {
    globalThis.fetch = reach;
  }
}
