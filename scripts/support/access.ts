import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, createApi, type Operator, operatorOf } from "./api.ts";
import { Refusal, type Scope } from "./command.ts";
import { answers, waitFor } from "./http.ts";
import { stateDirectory } from "./paths.ts";
import { findFreePort } from "./ports.ts";
import { prepare } from "./prepare.ts";
import { remoteService } from "./remote.ts";
import { ensureSecrets, type Secrets, writePrivate } from "./secrets.ts";
import { findUser, release, take } from "./state.ts";
import { startService } from "./workers.ts";

/** Access to the service of a state directory. */

const PATIENCE_MS = 120_000;

interface Access {
  readonly origin: string;
  readonly secrets: Secrets;
}

/**
 * The service of this state directory for one short task. Uses the running service once it is ready.
 * Otherwise starts one on a free port, which stops with the scope.
 */
export async function useService(scope: Scope, directory: string): Promise<Access> {
  const access = await waitFor(async () => (await useRunning(directory)) ?? (await startOwn(scope, directory)), {
    timeoutMs: PATIENCE_MS,
  });
  if (access) return access;
  throw new Refusal("The server is still starting after two minutes. Check its terminal, then try again.");
}

async function useRunning(directory: string): Promise<Access | null> {
  const user = await findUser(directory);
  if (user?.state !== "ready" || user.url === undefined || !(await answers(`${user.url}/healthz`))) return null;
  return { origin: user.url, secrets: ensureSecrets(directory) };
}

/** Null while another process uses the directory. */
async function startOwn(scope: Scope, directory: string): Promise<Access | null> {
  const port = await findFreePort();
  if (!(await take(directory, { state: "token", port }))) return null;
  scope.defer(() => release(directory));
  const secrets = await prepare(directory);
  const service = startService({ directory, port, secrets });
  scope.defer(() => service.stop());
  await service.ready();
  return { origin: service.origin, secrets };
}

/** The operator API of the deployed service, or of this machine's. */
export async function useOperator(scope: Scope, isRemote = false): Promise<Operator> {
  if (isRemote) return remoteService().operator;
  const { origin, secrets } = await useService(scope, stateDirectory());
  return operatorOf(origin, secrets.OPERATOR_KEY);
}

export interface Demo {
  readonly token: string;
  readonly projectId: number;
}

/**
 * The demo project of this state directory and its token, which is reused while it is valid. The project is
 * found by its id, because people may name projects of their own "Demo", too.
 */
export async function ensureDemo(directory: string, origin: string, operator: Operator): Promise<Demo> {
  const files = { token: join(directory, "demo-token"), id: join(directory, "demo-project") };
  const known = { token: readIfThere(files.token), id: Number(readIfThere(files.id)) };
  if (known.token !== null && known.id > 0 && (await works(origin, known.token)))
    return { token: known.token, projectId: known.id };
  const issued = await issueDemoToken(operator, known.id);
  writePrivate(files.token, `${issued.token}\n`);
  writePrivate(files.id, `${issued.project_id}\n`);
  return { token: issued.token, projectId: issued.project_id };
}

/** For the project of an earlier start, or a new one if that was deleted. */
async function issueDemoToken(operator: Operator, id: number) {
  const name = "npm start";
  if (id > 0) {
    try {
      return await operator.issueToken({ id, name });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return operator.issueToken({ project: "Demo", name });
}

async function works(origin: string, token: string): Promise<boolean> {
  try {
    await createApi(origin, token).listChannels();
    return true;
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401);
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim() || null;
  } catch {
    return null;
  }
}
