import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "./command.ts";

/**
 * `localhost` can resolve to either address, so another server on one of them could answer instead of ours.
 */
const LOOPBACKS = ["127.0.0.1", "::1"];

/** Throws a message if the port is in use; waits up to `patienceMs` for a port that is being released. */
export async function requireFree(port: number, variable: string, patienceMs = 0): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isFree(port))) {
    if (Date.now() >= deadline) {
      throw new Refusal(`Port ${port} is in use; set ${variable}=… to another one, or stop the process that uses it.`);
    }
    await sleep(200);
  }
}

/** The port number in an environment variable. */
export function portFrom(variable: string, standard: number): number {
  const text = process.env[variable] || String(standard);
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Refusal(`${variable} must be a port number from 1 to 65535, not "${text}".`);
}

/**
 * Below the ports that systems give to outgoing connections: a connection of another process may take one of
 * those before a server listens on it.
 */
const [FIRST, END] = [10_000, 32_000];

/** A free loopback port; never the same twice in one process, and seldom the same in two. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}
const given = new Set<number>();

async function isFree(port: number): Promise<boolean> {
  const answers = await Promise.all(LOOPBACKS.map((host) => canListen(port, host)));
  return answers.every(Boolean);
}

async function canListen(port: number, host: string): Promise<boolean> {
  try {
    await close(await listen(port, host));
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EACCES") throw new Refusal(`Port ${port} needs privileges; choose a port above 1023.`);
    // Other errors, such as a machine without IPv6, do not mean that the port is in use.
    return code !== "EADDRINUSE";
  }
}

function listen(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
