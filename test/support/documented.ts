import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The statuses of each operation, by `METHOD /path`, in docs/openapi.json (vitest.config.ts). */
    documented: Readonly<Record<string, readonly number[]>>;
  }
}

const operations = Object.entries(inject("documented")).map(([name, statuses]) => {
  const [method, path = ""] = name.split(" ");
  return { method, path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(?:\\?|$)`), statuses };
});

/** While a project moves to another database, every operation answers so. */
const MOVING = 423;

/** Throws if the document does not list the status for the operation at this path below `/api/v1`. */
export function requireDocumented(method: string, path: string, status: number): void {
  const operation = operations.find((one) => one.method === method && one.path.test(path));
  if (operation && status !== MOVING && !operation.statuses.includes(status))
    throw new Error(`${method} ${path} answered ${status}, which the OpenAPI document does not list.`);
}
