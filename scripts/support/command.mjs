import { watchParent } from "./parent.mjs";

/** A sentence for the person at the terminal: printed without a stack, exit code 1. */
export class Refusal extends Error {}

/**
 * Runs a command to its end. `main(scope)` answers the exit code; `scope.defer(clean)` registers what is undone, last
 * first, however the command ends: by itself, by an error, by SIGINT or SIGTERM, or because npm has gone.
 */
export async function runCommand(main, { interruptedCode = 130 } = {}) {
  const cleanups = [];
  let ending = null;

  const end = (code) => {
    ending ??= (async () => {
      for (const clean of cleanups.reverse()) {
        try {
          await clean();
        } catch (error) {
          process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
        }
      }
      process.exit(code);
    })();
    return ending;
  };

  const interrupt = () => void end(interruptedCode);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  watchParent(interrupt);
  // The reader of our output may go first (a pipe into `head`): that ends the command, without a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", interrupt);

  const scope = {
    defer: (clean) => void cleanups.push(clean),
    /** Ends the command early, from outside `main`: a server has died. */
    fail(message) {
      if (ending) return;
      process.stderr.write(`${message}\n`);
      void end(1);
    },
    get isEnding() {
      return ending !== null;
    },
  };
  try {
    const code = await main(scope);
    await end(code ?? 0);
  } catch (error) {
    if (!ending) process.stderr.write(`${describe(error)}\n`);
    await end(1);
  }
}

function describe(error) {
  if (error instanceof Refusal) return error.message;
  const cause = error?.cause ? `\n  because of ${error.cause?.stack ?? error.cause}` : "";
  return `${error?.stack ?? error}${cause}`;
}
