// The load generator, in a separate process (forked by measure.ts).
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

export interface Load {
  readonly port: number;
  readonly method: string;
  /** Sent in rotation. */
  readonly requests: readonly { readonly path: string; readonly headers?: Readonly<Record<string, string>> }[];
  readonly body: string | undefined;
  /** Whether each request has an `Idempotency-Key` of its own. */
  readonly hasKeys?: boolean;
  /** The number of concurrent requests, over keep-alive connections. */
  readonly connections: number;
  readonly seconds: number;
}

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The count of each status; "broken" and "refused" for requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
}

process.on("message", async (load: Load) => process.send?.(await run(load)));

async function run(load: Load): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1000;
  let next = 0;

  const worker = async () => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const status = await send(agent, load, next++);
      latencies.push(performance.now() - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
  const elapsed = (performance.now() - startedAt) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), statuses };
}

function send(agent: Agent, { port, method, requests, body, hasKeys }: Load, turn: number): Promise<string> {
  const { path = "/", headers: given = {} } = requests[turn % requests.length] ?? {};
  const headers = hasKeys ? { ...given, "Idempotency-Key": crypto.randomUUID() } : given;
  return new Promise((resolve) => {
    const outgoing = request({ agent, host: "127.0.0.1", port, method, path, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(String(answer.statusCode)));
      answer.on("error", () => resolve("broken"));
    });
    outgoing.on("error", () => resolve("refused"));
    outgoing.end(body);
  });
}
