import { parseArgs } from "node:util";
import { Refusal } from "./command.mjs";

/** The command line by `options` (those of node:util parseArgs); a Refusal that points to --help when it does not fit. */
export function readArguments(options) {
  try {
    return parseArgs({ args: withNegativeValues(process.argv.slice(2)), options, strict: true }).values;
  } catch (error) {
    const [sentence] = error.message.split(/(?<=[.!]) |\n/);
    throw new Refusal(`${sentence.replace(/\.?$/, ".")} See --help.`);
  }
}

/** `--name -1` as `--name=-1`, so that a negative number meets the check of its option, not the parser's. */
function withNegativeValues(args) {
  return args.flatMap((arg, at) => {
    if (isNegative(arg) && isLongName(args[at - 1])) return [];
    return isLongName(arg) && isNegative(args[at + 1]) ? [`${arg}=${args[at + 1]}`] : [arg];
  });
}

const isNegative = (arg) => arg !== undefined && /^-\d/.test(arg);
const isLongName = (arg) => arg !== undefined && /^--[a-z-]+$/.test(arg);
