import { callsTo, type Name } from "./contract-world.ts";

/** Answers of a platform that are changed on their way to the Worker, after the platform has acted. */
export interface Exchange {
  readonly url: URL;
  /** The sandbox's name for what was called; null where it has none. */
  readonly operation: string | null;
  readonly answer: Response;
}

/** What to hand on in place of the answer; null leaves it as it is. */
export type Spoil = (exchange: Exchange) => Response | null | Promise<Response | null>;

/** Runs something while each answer of the platform passes through `spoil`. */
export async function spoiling(name: Name, spoil: Spoil, run: () => Promise<void>): Promise<void> {
  const reach = globalThis.fetch;
  let last = (await callsTo(name)).at(-1)?.id ?? 0;
  globalThis.fetch = async (input, init) => {
    const answer = await reach(input, init);
    const newest = (await callsTo(name)).at(-1);
    if (!newest || newest.id <= last) return answer;
    last = newest.id;
    const url = new URL(input instanceof Request ? input.url : input);
    return (await spoil({ url, operation: newest.operation, answer })) ?? answer;
  };
  try {
    await run();
  } finally {
    globalThis.fetch = reach;
  }
}
