// The load, in a process of its own (forked by measure.mjs): keeps `connections` requests under way over kept-alive
// connections for `seconds`, taking the given requests in turn, and answers what it saw.
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

process.on("message", async (job) => process.send(await load(job)));

async function load({ port, method, requests, body, connections, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  const statuses = {};
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let next = 0;

  const worker = async () => {
    while (performance.now() < endsAt) {
      const { path, headers } = requests[next++ % requests.length];
      const sentAt = performance.now();
      const status = await send({ agent, port, method, path, headers, body });
      latencies.push(performance.now() - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsed = (performance.now() - startedAt) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), statuses };
}

function send({ agent, port, method, path, headers, body }) {
  return new Promise((resolve) => {
    const outgoing = request({ agent, host: "127.0.0.1", port, method, path, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
      answer.on("error", () => resolve("broken"));
    });
    outgoing.on("error", () => resolve("refused"));
    outgoing.end(body);
  });
}
