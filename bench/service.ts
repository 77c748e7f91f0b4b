import { operatorOf } from "../scripts/support/api.ts";
import type { Scope } from "../scripts/support/command.ts";
import { findFreePort } from "../scripts/support/ports.ts";
import { prepare } from "../scripts/support/prepare.ts";
import { startService } from "../scripts/support/workers.ts";

/** Starts a service with empty state, which stops with the scope. `issue` creates tokens of a project. */
export async function bootService(
  scope: Scope,
  directory: string,
  script: string,
  variables: Readonly<Record<string, string>> = {},
) {
  const secrets = await prepare(directory);
  const service = startService({
    directory,
    port: await findFreePort(),
    inspectorPort: await findFreePort(),
    secrets,
    script,
    // Some parts read the memory of its isolate.
    banners: null,
    variables,
  });
  scope.defer(() => service.stop());
  await service.ready();
  const { issueToken } = operatorOf(service.origin, secrets.OPERATOR_KEY);
  const issue = async (project: string, count: number): Promise<[string, ...string[]]> => {
    const tokens: [string, ...string[]] = [(await issueToken({ project })).token];
    while (tokens.length < count) tokens.push((await issueToken({ project })).token);
    return tokens;
  };
  return { service, issue, key: secrets.OPERATOR_KEY };
}
