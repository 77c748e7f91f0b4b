import { type ChildProcess, spawn } from "node:child_process";
import { delimiter } from "node:path";
import { ROOT } from "../../scripts/support/paths.ts";
import type { Ran } from "./command.ts";

/** Somebody with an own home, who knows nothing of the tests around: none of their variables, no caches. */
export interface Newcomer {
  readonly home: string;
  /** Another user than ours, if we may be another one. */
  readonly uid?: number;
  /** The folder of another `node` than the machine's. */
  readonly node?: string;
}

/** How this machine reaches the registry. */
const NETWORK = /^(https?_proxy|no_proxy|npm_config_(registry|cafile)|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/** Starts a command of a newcomer; it leads a process group of its own. */
export function startAs(
  { home, uid, node }: Newcomer,
  [program = "", ...args]: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): ChildProcess {
  const own = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(ROOT));
  const network = Object.entries(process.env).filter(([name, value]) => NETWORK.test(name) && value !== "");
  return spawn(program, args, {
    cwd,
    detached: true,
    env: {
      ...Object.fromEntries(network),
      HOME: home,
      PATH: [...(node === undefined ? [] : [node]), ...own].join(delimiter),
      NO_COLOR: "1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
}

/** Runs a command of a newcomer to its end. */
export function runAs(...started: Parameters<typeof startAs>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = startAs(...started);
    let [stdout, stderr] = ["", ""];
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** What npm says where the registry cannot be reached. */
export const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/;
