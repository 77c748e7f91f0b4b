// Ownership of a state directory: `server.json` records the process, its state and its ports. Only one
// process may use it; others wait or report that. States: starting → ready (npm start), token (the short
// start of npm run token).
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

/** The record of the process that currently uses the directory; null if there is none or it has exited. */
export async function findUser(directory: string): Promise<User | null> {
  const record = readUser(directory);
  if (!record || !isAlive(record.pid)) return null;
  // Process ids are reused: a "ready" process that is not listening is a different one.
  if (record.state === "ready" && !(await isListening(record.port))) return null;
  if (record.state !== "ready" && Date.now() - record.since > STARTED_WITHIN_MS) return null;
  return record;
}

/** The last record, whether its process is running or not. */
export function readUser(directory: string): User | null {
  try {
    return User.parse(JSON.parse(readFileSync(fileIn(directory), "utf8")));
  } catch {
    return null;
  }
}

/** Takes the directory; false if another process was faster. */
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

/** Releases the directory if this process owns it. */
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
