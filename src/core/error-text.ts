/**
 * Describes an error for a log line: the classes and codes of its chain of causes, and the first stack frames
 * of the error itself. Messages are left out, except those of the database and the runtime, whose texts are
 * known. Any other message may quote data (a caption, a comment, a token), and nothing in the message shows
 * that it does.
 */
const MAX_CAUSES = 5;
const MAX_TEXT = 1_000;
const MAX_PLACES = 6;
const HIDDEN = "…";

export function describeError(error: unknown): string {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && chain.length < MAX_CAUSES; cause = causeOf(cause)) chain.push(cause);
  const values = chain.flatMap(valuesOf).sort((a, b) => b.length - a.length);
  return [chain.map((cause) => describeOne(cause, values)).join(" <- "), ...placesOf(error)].join(" ");
}

/**
 * An error whose message is a fixed text of this service, for the operator: it quotes nothing that a caller
 * or a platform sent.
 */
export class FixedTextError extends Error {}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

function describeOne(error: unknown, values: readonly string[]): string {
  if (!(error instanceof Error)) return typeof error;
  const name = /^[\w$]{1,60}$/.test(error.name) ? error.name : "Error";
  const code = "code" in error && typeof error.code === "string" && /^\w{1,60}$/.test(error.code) ? error.code : null;
  const text = values.reduce((shown, value) => shown.replaceAll(value, HIDDEN), knownText(error)).slice(0, MAX_TEXT);
  return `${name}${code === null ? "" : ` ${code}`}${text === "" ? "" : `: ${text}`}`;
}

/** A failed statement as Drizzle describes it: its text has a `?` for every value. */
function isFailedQuery(error: unknown): error is Error & { readonly query: string; readonly params: unknown[] } {
  return (
    error instanceof Error &&
    "query" in error &&
    typeof error.query === "string" &&
    "params" in error &&
    Array.isArray(error.params)
  );
}

/** Shorter values occur in any sentence by chance, and reveal nothing. */
const SHORTEST_VALUE = 4;

function valuesOf(error: unknown): string[] {
  if (!isFailedQuery(error)) return [];
  return error.params.map(String).filter((value) => value.length >= SHORTEST_VALUE);
}

/** The database's messages; they quote values of a wrong type, and JSON paths. */
const OF_DATABASE = /^D1_[A-Z_]+: /;
const QUOTED = /'.*'|".*"|`.*`/gs;
const OF_RUNTIME =
  /^(?:Network connection lost|internal error|The operation was aborted(?: due to timeout)?|Too many subrequests|Response closed due to connection limit|Worker exceeded (?:CPU time|memory) limit)\.?$/;

function knownText(error: Error): string {
  if (error instanceof FixedTextError) return error.message;
  if (isFailedQuery(error)) return `Failed query: ${error.query}`;
  if (OF_DATABASE.test(error.message))
    return error.message.replace(QUOTED, (quoted) => `${quoted[0]}${HIDDEN}${quoted[0]}`);
  return OF_RUNTIME.test(error.message) ? error.message : "";
}

/** A stack frame in our code. */
const PLACE =
  /^ {4}at (?:(?:async |new )?[\w$.<>#]{1,100}(?: \[as [\w$.]{1,60}\])? \()?[\w./:@%+-]{1,300}:\d{1,7}:\d{1,7}\)?$/;

/** The first frames of the stack. The stack begins with the message, whose lines may look like frames. */
function placesOf(error: unknown): string[] {
  if (!(error instanceof Error) || error.stack === undefined) return [];
  const { stack, message } = error;
  const at = stack.indexOf(message);
  // The message changed after the stack was captured: its end in the stack is unknown.
  if (at < 0) return [];
  const lines = stack.slice(at + message.length).split("\n");
  return lines
    .filter((line) => PLACE.test(line))
    .slice(0, MAX_PLACES)
    .map((line) => line.trim());
}
