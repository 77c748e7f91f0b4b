import { clock, dim, red, say } from "./terminal.mjs";

/** What wrangler says that tells a user of `npm start` nothing. */
const NOISE = [
  /^\s*$/,
  /^\[wrangler:/,
  /^⎔/,
  /^Using secrets defined in/,
  /^Your Worker has access to/,
  /^Binding\s+Resource/,
  /^env\./,
  // A planned fault of the sandbox (`cutOff` in sandbox/operation.ts); the runtime reports it as an exception.
  /the sandbox cut this connection on purpose/,
];

/** Prints a Worker's output: structured events on one short line each, errors in red, and not wrangler's chatter. */
export function createLogPrinter(name) {
  return (line) => {
    const event = parseEvent(line);
    if (event) say(format(name, event));
    else if (!NOISE.some((pattern) => pattern.test(line))) say(`${dim(`${clock()} ${name}`)} ${line}`);
  };
}

function parseEvent(line) {
  if (!line.startsWith("{")) return null;
  try {
    const parsed = JSON.parse(line);
    return typeof parsed.event === "string" ? parsed : null;
  } catch {
    return null;
  }
}

function format(name, { event, error, ...fields }) {
  const details = Object.entries(fields).map(([field, value]) => `${field}=${value}`);
  const line = `${dim(`${clock()} ${name}`)} ${event} ${dim(details.join(" "))}`;
  return error === undefined ? line : `${red("✗")} ${line} ${red(error)}`;
}
