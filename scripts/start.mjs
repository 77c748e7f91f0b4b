import "./support/bootstrap.mjs";
import { join } from "node:path";
import { readArguments } from "./support/arguments.mjs";
import { Refusal, runCommand } from "./support/command.mjs";
import { startCron } from "./support/cron.mjs";
import { ensureDemoToken } from "./support/demo-token.mjs";
import { waitFor } from "./support/http.mjs";
import { createLogPrinter } from "./support/log-lines.mjs";
import { operatorOf } from "./support/operator.mjs";
import { shortPath, stateDirectory } from "./support/paths.mjs";
import { portFrom, requireFree } from "./support/ports.mjs";
import { findUser, read, release, take, update } from "./support/state.mjs";
import { bold, cyan, dim, say } from "./support/terminal.mjs";
import { prepare, prepareBuilt, startSandbox, startService } from "./support/workers.mjs";

/** `npm start`: the service and the simulated platforms on this machine, until Ctrl-C. */
async function start(scope) {
  const directory = stateDirectory();
  const port = portFrom("PORT", 8787);
  const sandboxPort = portFrom("SANDBOX_PORT", 8788);
  if (port === sandboxPort) throw new Refusal(`PORT and SANDBOX_PORT are both ${port}; they must differ.`);
  const proxied = sandboxAddress();
  const record = { state: "starting", url: `http://localhost:${port}`, port, sandboxPort };
  await takeDirectory(directory, record);
  scope.defer(() => release(directory));

  say(dim("Starting …"));
  // With --watch the Workers run from the sources and start anew when these change.
  const { watch } = readArguments({ watch: { type: "boolean" } });
  const { secrets, builds } = watch ? { secrets: await prepare(directory), builds: {} } : await prepareBuilt(directory);
  const isVerbose = process.env.BELFRY_LOG === "1";
  const service = startService({
    directory,
    port,
    sandboxPort,
    secrets,
    script: builds.service,
    variables: { ...(isVerbose ? { LOG_LEVEL: "all" } : {}), ...proxied },
    logLevel: isVerbose ? "log" : "error",
    onLine: createLogPrinter("service"),
  });
  const sandbox = startSandbox({
    directory,
    port: sandboxPort,
    script: builds.sandbox,
    onLine: createLogPrinter("sandbox"),
  });
  scope.defer(() => Promise.all([service.stop(), sandbox.stop()]));
  await Promise.all([service.ready(), sandbox.ready()]);
  const stopped = Promise.race([service, sandbox].map((worker) => worker.exited.then(() => worker)));

  const token = await ensureDemoToken(directory, service.origin, operatorOf(service.origin, secrets.OPERATOR_KEY));
  scope.defer(startCron(service.origin, (error) => say(`cron: ${error.message}`)));
  update(directory, { ...record, state: "ready" });
  announce({ origin: service.origin, sandbox: sandbox.origin, token, directory });

  const { name, tail } = await stopped;
  if (!scope.isEnding) throw new Refusal(`The ${name} stopped unexpectedly.\n${tail()}`);
}

/** Where the service reaches the sandbox, if not directly: a proxy may stand between. */
function sandboxAddress() {
  const address = process.env.SANDBOX_URL;
  if (!address) return {};
  const protocol = URL.parse(address)?.protocol;
  if (protocol === "http:" || protocol === "https:") return { SANDBOX_URL: address };
  throw new Refusal(`SANDBOX_URL must be an http address, such as http://localhost:8789, not "${address}".`);
}

/** One server a state directory, one listener a port: said before anything is started. */
async function takeDirectory(directory, record) {
  const previous = read(directory);
  const user = await waitFor(async () => ((await findUser(directory))?.state === "token" ? null : { ready: true }), {
    timeoutMs: 60_000,
  });
  const running = user && (await findUser(directory));
  if (running) throw inUse(directory, running);
  // A server that was killed just now may still be giving its ports up.
  const patienceMs = previous && [record.port, record.sandboxPort].includes(previous.port) ? 5000 : 0;
  await requireFree(record.port, "PORT", patienceMs);
  await requireFree(record.sandboxPort, "SANDBOX_PORT", patienceMs);
  if (!(await take(directory, record))) throw inUse(directory, await findUser(directory));
}

function inUse(directory, running) {
  const where = running?.url ? ` at ${running.url}` : "";
  const by = running ? ` (process ${running.pid}${where})` : "";
  return new Refusal(
    `${shortPath(directory)} is in use by a running server${by}. Stop it, or set STATE_DIR, PORT and SANDBOX_PORT to run another.`,
  );
}

function announce({ origin, sandbox, token, directory }) {
  const api = `${origin}/api/v1`;
  const connect = [
    `curl -s ${api}/social/connect-channel`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    `-d '{"userId":"me"}'`,
  ].join(" ");
  say(`
${bold("Belfry is ready.")}

  API      ${cyan(api)}
  Docs     ${cyan(`${origin}/docs`)}
  Sandbox  ${cyan(sandbox)}  ${dim("the simulated platforms: what you publish appears here")}
  Token    ${token}  ${dim('test project "Demo", every permission')}

Connect a channel: paste this, then open the connect_url of its answer in a browser.

  ${connect}

${dim(`State: ${shortPath(join(directory))}. Logs of every request: BELFRY_LOG=1 npm start. Ctrl-C stops.`)}
`);
}

await runCommand(start, { interruptedCode: 0 });
