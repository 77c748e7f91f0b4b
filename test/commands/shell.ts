import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { waitFor } from "../../scripts/support/http.ts";
import { ROOT } from "../../scripts/support/paths.ts";

/** Runs the code blocks of Markdown pages as a reader would. */

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Whether it follows another block without words between. */
  readonly isNext: boolean;
}

/** The code blocks of a page, without their indentation. `text` blocks are not meant to be run. */
export function blocksOf(file: string): readonly Block[] {
  const page = readFileSync(join(ROOT, file), "utf8");
  const found = Array.from(page.matchAll(/(```\n\n)?^( *)```(\w+)\n([\s\S]*?)^ *(?=```$)/gm));
  return found
    .map(([, before, indent = "", language = "", text = ""]) => {
      return { language, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""), isNext: before !== undefined };
    })
    .filter(({ language }) => language !== "text");
}

const DONE = "--- done ---";
const FAILED = "--- failed ---";

/** A shell as a person has it open: what one block sets, the next one finds. */
export class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  #text = "";

  constructor(env: Readonly<Record<string, string>>, cwd = ROOT) {
    this.#child = spawn("bash", ["-u"], { cwd, env: { ...process.env, ...env } });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.#text += text));
    }
    this.#child.stdin.write(`set -o pipefail; trap 'echo "${FAILED}"' ERR\n`);
    onTestFinished(() => void this.#child.kill());
  }

  /** What it prints, errors too. Throws if a command of the block fails. */
  async run(block: string): Promise<string> {
    this.#text = "";
    this.#child.stdin.write(`${block}\necho; echo '${DONE}'\n`);
    const isOver = await waitFor(async () => this.#text.includes(DONE), { timeoutMs: 90_000 });
    if (!isOver || this.#text.includes(FAILED)) throw new Error(`It did not run:\n${block}\n${this.#text}`);
    return this.#text.slice(0, this.#text.indexOf(DONE)).trim();
  }
}

/** `npm start` in its other window, until the test ends; returns what it has printed. */
export async function startHere(env: Readonly<Record<string, string>>, folder = ROOT): Promise<string> {
  const child = spawn(process.execPath, [join("scripts", "run.mjs"), join("scripts", "start.ts")], {
    cwd: folder,
    env: { ...process.env, ...env, NO_COLOR: "1" },
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGINT");
    await exited;
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (some) => (text += some));
  const isReady = await waitFor(async () => text.includes("Belfry is ready.") || child.exitCode !== null, {
    timeoutMs: 180_000,
  });
  if (!isReady || child.exitCode !== null) throw new Error(`It did not start:\n${text}`);
  return text;
}
