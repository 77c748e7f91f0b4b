import { Refusal } from "./command.mjs";
import { answers, waitFor } from "./http.mjs";
import { findFreePorts } from "./ports.mjs";
import { ensureSecrets } from "./secrets.mjs";
import { findUser, release, take } from "./state.mjs";
import { prepare, startService } from "./workers.mjs";

const PATIENCE_MS = 120_000;

/**
 * The service of this state directory for one short task: the running one, once it is ready; else one of our own on some
 * free port, which ends with the scope.
 */
export async function useService(scope, directory) {
  const access = await waitFor(async () => (await useRunning(directory)) ?? (await startOwn(scope, directory)), {
    timeoutMs: PATIENCE_MS,
  });
  if (access) return access;
  throw new Refusal("The server is still starting after two minutes. Look at its terminal, then try again.");
}

async function useRunning(directory) {
  const user = await findUser(directory);
  if (user?.state !== "ready" || !(await answers(`${user.url}/healthz`))) return null;
  return { origin: user.url, secrets: ensureSecrets(directory) };
}

/** Null while another process has the directory. */
async function startOwn(scope, directory) {
  const [port] = await findFreePorts(1);
  if (!(await take(directory, { state: "token", port }))) return null;
  scope.defer(() => release(directory));
  const secrets = await prepare(directory);
  const service = startService({ directory, port, secrets });
  scope.defer(() => service.stop());
  await service.ready();
  return { origin: service.origin, secrets };
}
