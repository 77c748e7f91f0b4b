import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "./command.mjs";

/** `localhost` may mean either: a stranger on one of them would answer in our place. */
const LOOPBACKS = ["127.0.0.1", "::1"];

export async function isFree(port) {
  const answers = await Promise.all(LOOPBACKS.map((host) => canListen(port, host)));
  return answers.every(Boolean);
}

/** Refuses in a sentence when the port is taken; waits a little for one that is just being given up. */
export async function requireFree(port, variable, patienceMs = 0) {
  const deadline = Date.now() + patienceMs;
  while (!(await isFree(port))) {
    if (Date.now() >= deadline) {
      throw new Refusal(`Port ${port} is in use; set ${variable}=… to another one, or stop what listens there.`);
    }
    await sleep(200);
  }
}

/** The port number in an environment variable. */
export function portFrom(variable, standard) {
  const text = process.env[variable] || String(standard);
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Refusal(`${variable} must be a port number from 1 to 65535, not "${text}".`);
}

export async function findFreePorts(count) {
  const servers = [];
  for (let i = 0; i < count; i++) servers.push(await listen(0, "127.0.0.1"));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map(close));
  return ports;
}

async function canListen(port, host) {
  try {
    await close(await listen(port, host));
    return true;
  } catch (error) {
    // No IPv6 on this machine, or a port that needs rights: not taken by another.
    if (error.code === "EACCES")
      throw new Refusal(`Port ${port} needs rights that this user has not; choose one above 1023.`);
    return error.code !== "EADDRINUSE";
  }
}

function listen(port, host) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

function close(server) {
  return new Promise((resolve) => server.close(resolve));
}
