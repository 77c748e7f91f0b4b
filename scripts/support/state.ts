// Who uses a state directory: `server.json` names the process, its state and its ports. One process at a
// time; others wait or say so. States: starting → ready (npm start), token (the short boot of npm run token).
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { requireWritable } from "./paths.ts";
import { isAlive } from "./processes.ts";

const User = z.object({
  pid: z.int(),
  since: z.number(),
  state: z.enum(["starting", "ready", "token"]),
  port: z.int(),
  url: z.string().optional(),
});
export type User = z.output<typeof User>;
type Use = Omit<User, "pid" | "since">;

const STARTED_WITHIN_MS = 180_000;

const fileIn = (directory: string) => join(directory, "server.json");

/**
 * The record of the process that uses the directory now; null when none does (a dead one's record is void).
 */
export async function findUser(directory: string): Promise<User | null> {
  const record = readUser(directory);
  if (!record || !isAlive(record.pid)) return null;
  // Ids are used again: a process that should be listening by now and is not, is another one.
  if (record.state === "ready" && !(await isListening(record.port))) return null;
  if (record.state !== "ready" && Date.now() - record.since > STARTED_WITHIN_MS) return null;
  return record;
}

/** The last record, of a live process or a dead one. */
export function readUser(directory: string): User | null {
  try {
    return User.parse(JSON.parse(readFileSync(fileIn(directory), "utf8")));
  } catch {
    return null;
  }
}

/** Takes the directory; false when another process was faster. */
export async function take(directory: string, use: Use): Promise<boolean> {
  requireWritable(directory);
  if (await findUser(directory)) return false;
  rmSync(fileIn(directory), { force: true });
  try {
    writeFileSync(fileIn(directory), format(use), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

export function update(directory: string, use: Use): void {
  const temporary = `${fileIn(directory)}.${process.pid}`;
  writeFileSync(temporary, format(use));
  renameSync(temporary, fileIn(directory));
}

/** Gives the directory up, if it is ours. */
export function release(directory: string): void {
  if (readUser(directory)?.pid === process.pid) rmSync(fileIn(directory), { force: true });
}

function format(use: Use): string {
  const user: User = { pid: process.pid, since: Date.now(), ...use };
  return `${JSON.stringify(user, null, 2)}\n`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 2000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
