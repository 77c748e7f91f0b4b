import { z } from "zod";
import type { Running } from "./workers.ts";

/**
 * The memory of a Worker's isolate, read over its inspector: the JavaScript heap, the runtime's objects in
 * it, and the contents of array buffers. The process also holds the simulated storage and queues.
 */

const SAMPLE_MS = 250;

const Usage = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number().default(0),
  backingStorageSize: z.number().default(0),
});
const Target = z.object({ webSocketDebuggerUrl: z.string() });
const Answer = z.object({ id: z.number(), result: z.unknown() });

export interface HeapWatch {
  /** Returns the growth of the peak over the start value; stops the watch. */
  end(): Promise<{ readonly before: number; readonly growth: number }>;
}

/** A running service. */
type Inspected = Pick<Running, "origin" | "inspectorPort">;

/** Watches the isolate of a service. Garbage is collected once, before the first sample. */
export async function watchHeap(service: Inspected): Promise<HeapWatch> {
  const inspector = await connectInspector(service);
  const before = await inspector.usedBytes({ isCollected: true });
  let peak = before;
  let isEnded = false;
  const watching = (async () => {
    while (!isEnded) {
      peak = Math.max(peak, await inspector.usedBytes({ isCollected: false }));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return {
    async end() {
      isEnded = true;
      await watching;
      inspector.close();
      return { before, growth: peak - before };
    },
  };
}

/** The bytes that the isolate uses after a garbage collection. */
export async function heapOf(service: Inspected): Promise<number> {
  const inspector = await connectInspector(service);
  try {
    return await inspector.usedBytes({ isCollected: true });
  } finally {
    inspector.close();
  }
}

interface Inspector {
  usedBytes(options: { readonly isCollected: boolean }): Promise<number>;
  close(): void;
}

async function connectInspector({ origin, inspectorPort }: Inspected): Promise<Inspector> {
  const list = await fetch(`http://127.0.0.1:${inspectorPort}/json/list`);
  const [target] = z.tuple([Target], z.unknown()).parse(await list.json());
  // The proxy of wrangler refuses connections without an origin.
  const socket = new WebSocket(target.webSocketDebuggerUrl, { headers: { origin: "http://localhost" } });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error("The inspector closed the connection."));
    waiting.clear();
  };
  socket.addEventListener("close", fail);
  socket.addEventListener("message", ({ data }) => {
    const answer = Answer.safeParse(JSON.parse(String(data)));
    if (!answer.success) return;
    waiting.get(answer.data.id)?.resolve(answer.data.result);
    waiting.delete(answer.data.id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("The inspector does not answer.")));
  });
  let calls = 0;
  const call = (method: string): Promise<unknown> => {
    calls += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(calls, answer);
    socket.send(JSON.stringify({ id: calls, method }));
    return answer.promise;
  };
  /** An idle isolate collects its garbage only when it runs again. */
  const collect = async () => {
    let isCollected = false;
    const collected = call("HeapProfiler.collectGarbage").then(() => {
      isCollected = true;
    });
    while (!isCollected) {
      await fetch(`${origin}/healthz`);
      await Promise.race([collected, new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))]);
    }
  };
  return {
    async usedBytes({ isCollected }) {
      if (isCollected) await collect();
      const usage = Usage.parse(await call("Runtime.getHeapUsage"));
      return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
    },
    close: () => socket.close(),
  };
}
