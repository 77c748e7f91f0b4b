/**
 * An error as a line of the log: the chain of its causes, with the place of the first one, and without the values that were at
 * hand when it happened. A failed statement carries its values (tokens, captions, credentials) in its message and in that of
 * its cause, a JSON that cannot be read a piece of its text; neither may reach the log.
 */
const MAX_CAUSES = 5;
const MAX_MESSAGE = 1_000;
/** Shorter ones are found in any sentence, and tell nothing. */
const SHORTEST_VALUE = 4;
const HIDDEN = "…";

export function describeError(error: unknown): string {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && chain.length < MAX_CAUSES; cause = causeOf(cause)) chain.push(cause);
  const values = chain.flatMap(valuesOf).sort((a, b) => b.length - a.length);
  const parts = chain.map((cause) => {
    let text = cause instanceof Error ? `${cause.name}: ${messageOf(cause)}` : String(cause);
    for (const value of values) text = text.replaceAll(value, HIDDEN);
    return text.slice(0, MAX_MESSAGE);
  });
  return `${parts.join(" <- ")} ${placeOf(error)}`.trim();
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

/** A failed statement as drizzle tells it: its text has a `?` for every value. */
function isFailedQuery(error: unknown): error is Error & { readonly query: string; readonly params: unknown[] } {
  return (
    error instanceof Error &&
    "query" in error &&
    typeof error.query === "string" &&
    "params" in error &&
    Array.isArray(error.params)
  );
}

function valuesOf(error: unknown): string[] {
  if (!isFailedQuery(error)) return [];
  return error.params.map(String).filter((value) => value.length >= SHORTEST_VALUE);
}

function messageOf(error: Error): string {
  if (isFailedQuery(error)) return `Failed query: ${error.query}`;
  // The runtime quotes what it could not parse.
  if (error instanceof SyntaxError) return error.message.replace(/".*"/s, HIDDEN);
  // D1 and SQLite quote a value of a wrong type, and a wrong path into a JSON.
  return /\bD1_|SQLITE/.test(error.message) ? error.message.replace(/'.*'/s, `'${HIDDEN}'`) : error.message;
}

/** The first place of the stack. Its head repeats the message, which may have several lines. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return "";
  const { stack, message } = error;
  const places = stack.slice(Math.max(0, stack.indexOf(message)) + message.length).split("\n");
  return places.find((line) => /^\s*at /.test(line))?.trim() ?? "";
}
