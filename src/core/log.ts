import { describeError } from "./error-text.ts";

type Field = string | number | boolean | null | undefined;

/** One structured event per request and job: ids, outcome, duration; never tokens, never content. */
export interface Log {
  event(name: string, fields?: Readonly<Record<string, Field>>): void;
  /**
   * An event that must be traceable later, such as an operator's call: also written if only errors are
   * logged.
   */
  audit(name: string, fields?: Readonly<Record<string, Field>>): void;
  /**
   * Logs the error as error-text.ts describes it: its class and stack frames, without data that its message
   * may quote.
   */
  error(name: string, error: unknown, fields?: Readonly<Record<string, Field>>): void;
}

export function createLog(context: Readonly<Record<string, Field>>, isQuiet = false): Log {
  const write = (name: string, fields: Readonly<Record<string, Field>>): void => {
    // biome-ignore lint/suspicious/noConsole: the platform collects logs from the console, from here only.
    console.log(JSON.stringify({ event: name, ...context, ...fields }));
  };
  return {
    event(name, fields = {}) {
      if (!isQuiet) write(name, fields);
    },
    audit(name, fields = {}) {
      write(name, fields);
    },
    error(name, error, fields = {}) {
      // biome-ignore lint/suspicious/noConsole: as above.
      console.error(JSON.stringify({ event: name, ...context, ...fields, error: describeError(error) }));
    },
  };
}
