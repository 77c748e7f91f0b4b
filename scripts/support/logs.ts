import { z } from "zod";
import { clock, dim, red, say } from "./terminal.ts";

/** Output of wrangler that is irrelevant to users of `npm start`. */
const NOISE = [
  /^\s*$/,
  /^\[wrangler:/,
  /^⎔/,
  /^\[custom build\]/,
  /^Using secrets defined in/,
  /^Your Worker has access to/,
  /^Binding\s+Resource/,
  /^env\./,
  // A planned fault of the sandbox (`cutOff` in sandbox/operation.ts), which the runtime reports as an
  // exception.
  /the sandbox cut this connection on purpose/,
];

/** A structured line of a Worker's log, with the fields of its event. */
const LogEvent = z.looseObject({ event: z.string() });

/** Null for any other line. */
export function readEvent(line: string): z.output<typeof LogEvent> | null {
  if (!line.startsWith("{")) return null;
  try {
    return LogEvent.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Prints a Worker's output: one short line per structured event, errors in red, without wrangler's own
 * output.
 */
export function createLogPrinter(name: string): (line: string) => void {
  return (line) => {
    const event = readEvent(line);
    if (event) say(format(name, event));
    else if (!NOISE.some((pattern) => pattern.test(line))) say(`${dim(`${clock()} ${name}`)} ${line}`);
  };
}

function format(name: string, { event, error, ...fields }: z.output<typeof LogEvent>): string {
  const details = Object.entries(fields).map(([field, value]) => `${field}=${value}`);
  const line = `${dim(`${clock()} ${name}`)} ${event} ${dim(details.join(" "))}`;
  return error === undefined ? line : `${red("✗")} ${line} ${red(error)}`;
}

/** Every invocation of the queue consumer logs one line (with LOG_LEVEL=all). */
const Invocation = z.object({ event: z.literal("invocation"), deliveries: z.int(), subrequests: z.int() });
export type Invocation = z.output<typeof Invocation>;

/** The invocation that a line of the service's log describes. */
export const readInvocation = (line: string): Invocation | undefined => Invocation.safeParse(readEvent(line)).data;
