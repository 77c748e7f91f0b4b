import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** An error message for the user: printed without a stack, exit code 1. */
export class Refusal extends Error {}
/** The service does not answer now; it may a moment later. */
export class Unavailable extends Refusal {}

export interface Scope {
  /** Registers a cleanup; cleanups run in reverse order, however the command ends. */
  defer(clean: () => unknown): void;
  readonly isEnding: boolean;
}

type Main = (scope: Scope) => Promise<number | undefined> | Promise<void>;

/** A part of a command: its cleanups run when it ends, or with the command. */
export async function runPart<T>(scope: Scope, part: (scope: Scope) => Promise<T>): Promise<T> {
  const cleanups: (() => unknown)[] = [];
  let isOver = false;
  const undo = async () => {
    isOver = true;
    for (let clean = cleanups.pop(); clean; clean = cleanups.pop()) await clean();
  };
  scope.defer(undo);
  try {
    return await part({
      defer: (clean) => void cleanups.push(clean),
      get isEnding() {
        return isOver || scope.isEnding;
      },
    });
  } finally {
    await undo();
  }
}

/**
 * Runs a command to its end, or prints `usage` for --help. `main` returns the exit code. Cleanups run when it
 * returns or throws, on SIGINT and SIGTERM, and if npm exits.
 */
export async function runCommand(usage: string, main: Main, { interruptedCode = 130 } = {}): Promise<void> {
  if (isHelpWanted(process.argv.slice(2))) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const cleanups: (() => unknown)[] = [];
  let ending: Promise<never> | null = null;

  const end = (code: number): Promise<never> => {
    ending ??= (async () => {
      for (const clean of cleanups.reverse()) {
        try {
          await clean();
        } catch (error) {
          process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        }
      }
      process.exit(code);
    })();
    return ending;
  };

  const interrupt = () => void end(interruptedCode);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  // If the reader of our output exits first (a pipe into `head`), the command stops without a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", interrupt);

  const scope: Scope = {
    defer: (clean) => void cleanups.push(clean),
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

function isHelpWanted(args: readonly string[]): boolean {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return options.some((arg) => arg === "--help" || arg === "-h");
}

function describe(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const because = cause ? `\n  because of ${cause instanceof Error ? cause.stack : String(cause)}` : "";
  return `${error.stack}${because}`;
}

/**
 * Parses the command line by `options` (of node:util parseArgs). Invalid arguments throw a Refusal that
 * points to --help.
 */
export function readArguments<const O extends ParseArgsOptionsConfig>(options: O) {
  try {
    return parseArgs({ args: withNegativeValues(process.argv.slice(2)), options, strict: true }).values;
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/(?<=[.!]) |\n/);
    throw new Refusal(`${sentence.replace(/\.?$/, ".")} See --help.`);
  }
}

/** The value of `--name` as an integer from 0 to `most`; otherwise throws a Refusal. */
export function readWhole(name: string, text: string, most: number): number {
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Refusal(`--${name} must be a whole number up to ${most}, not "${text}".`);
}

/** The value of `--id`: what names one project among those of one name. */
export function readProjectId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Refusal(`--id must be the number of a project, not "${text}".`);
}

/** The `--seed` of a run, or a random one. */
export function readSeed(text: string | undefined): number {
  return text === undefined ? Math.floor(Math.random() * 1_000_000) : readWhole("seed", text, 999_999_999);
}

/** The values that `--name` lists with commas; all if the option is absent. */
export function readChoices<T extends string>(name: string, text: string | undefined, all: readonly T[]): readonly T[] {
  if (text === undefined) return all;
  const named = text.split(",");
  const chosen = all.filter((one) => named.includes(one));
  if (chosen.length === named.length) return chosen;
  throw new Refusal(`--${name} must be ${all.join(", ")}, or some of them with commas, not "${text}".`);
}

/**
 * Converts `--name -1` to `--name=-1`, so that the option's own check rejects a negative number, not the
 * parser.
 */
function withNegativeValues(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    if (isNegative(arg) && isLongName(args[at - 1])) return [];
    return isLongName(arg) && isNegative(args[at + 1]) ? [`${arg}=${args[at + 1]}`] : [arg];
  });
}

const isNegative = (arg: string | undefined) => arg !== undefined && /^-\d/.test(arg);
const isLongName = (arg: string | undefined) => arg !== undefined && /^--[a-z-]+$/.test(arg);
