type Field = string | number | boolean | null | undefined;

/** One structured event a request and a job: ids, outcome, duration; never tokens, never content. */
export interface Log {
  event(name: string, fields?: Readonly<Record<string, Field>>): void;
  error(name: string, error: unknown, fields?: Readonly<Record<string, Field>>): void;
}

export function createLog(context: Readonly<Record<string, Field>>, isQuiet = false): Log {
  return {
    event(name, fields = {}) {
      if (isQuiet) return;
      // biome-ignore lint/suspicious/noConsole: the platform collects logs from the console; this is its only user.
      console.log(JSON.stringify({ event: name, ...context, ...fields }));
    },
    error(name, error, fields = {}) {
      // biome-ignore lint/suspicious/noConsole: as above.
      console.error(JSON.stringify({ event: name, ...context, ...fields, error: describe(error) }));
    },
  };
}

/** The chain of causes with the place of the first one. */
function describe(error: unknown): string {
  const parts: string[] = [];
  for (
    let cause = error;
    cause !== undefined && parts.length < 5;
    cause = cause instanceof Error ? cause.cause : undefined
  ) {
    parts.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
  }
  const place = error instanceof Error ? (error.stack?.split("\n")[1]?.trim() ?? "") : "";
  return `${parts.join(" <- ")} ${place}`.trim();
}
