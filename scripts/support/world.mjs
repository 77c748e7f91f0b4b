import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "./api.mjs";
import { operatorOf } from "./operator.mjs";
import { findFreePorts } from "./ports.mjs";
import { sandboxControl } from "./sandbox.mjs";
import { prepareBuilt, startSandbox, startService } from "./workers.mjs";

/**
 * A service and a sandbox of their own: free ports, empty state in a temporary directory, all gone with the scope.
 * `variables` and `logLevel` (wrangler's, for what the Worker logs) are the service's; `onLine` gets what either prints.
 */
export async function bootWorld(scope, { variables = {}, logLevel, onLine } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "belfry-"));
  scope.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const [port, sandboxPort] = await findFreePorts(2);
  const { secrets, builds } = await prepareBuilt(directory);
  const service = { directory, port, sandboxPort, secrets, variables, script: builds.service, logLevel, onLine };
  const boot = () => startService(service);
  const sandbox = startSandbox({ directory, port: sandboxPort, script: builds.sandbox, onLine });
  const world = { service: boot(), sandbox };
  scope.defer(() => Promise.all([world.service.stop(), world.sandbox.stop()]));
  await Promise.all([world.service.ready(), world.sandbox.ready()]);

  const operator = operatorOf(world.service.origin, secrets.OPERATOR_KEY);
  const { token } = await operator.issueToken({ project: "Demo" });
  return Object.assign(world, {
    directory,
    operator,
    api: createApi(world.service.origin, token),
    control: sandboxControl(world.sandbox.origin),
    /** Starts the service again after `world.service.kill()`, with the same state on the same port. */
    async restartService() {
      world.service = boot();
      await world.service.ready();
    },
  });
}
