// Who uses a state directory: `server.json` names the process, its state and its ports. One process at a time; others wait
// or say so. States: starting → ready (npm start), token (the short boot of npm run token).
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { isAlive } from "./processes.mjs";

const fileIn = (directory) => join(directory, "server.json");

/** The record of the process that uses the directory now; null when none does (a dead one's record is void). */
export async function findUser(directory) {
  const record = read(directory);
  if (!record || !isAlive(record.pid)) return null;
  // Ids are used again: a process that should be listening by now and is not, is another one.
  if (record.state === "ready" && !(await isListening(record.port))) return null;
  if (Date.now() - record.since > 180_000 && record.state !== "ready") return null;
  return record;
}

/** The last record, of a live process or a dead one. */
export function read(directory) {
  try {
    return JSON.parse(readFileSync(fileIn(directory), "utf8"));
  } catch {
    return null;
  }
}

/** Takes the directory; false when another process was faster. */
export async function take(directory, record) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (await findUser(directory)) return false;
  rmSync(fileIn(directory), { force: true });
  try {
    writeFileSync(fileIn(directory), format(record), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

export function update(directory, record) {
  const temporary = `${fileIn(directory)}.${process.pid}`;
  writeFileSync(temporary, format(record));
  renameSync(temporary, fileIn(directory));
}

/** Gives the directory up, if it is ours. */
export function release(directory) {
  if (read(directory)?.pid === process.pid) rmSync(fileIn(directory), { force: true });
}

const format = (record) => `${JSON.stringify({ pid: process.pid, since: Date.now(), ...record }, null, 2)}\n`;

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 2000 });
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
