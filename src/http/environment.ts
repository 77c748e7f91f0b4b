import type { Caller } from "../core/caller.ts";
import type { Bindings, Deps } from "../deps.ts";
import type { OperationInputs } from "./shape.ts";

/** What Hono carries along with each request. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: {
    deps: Deps;
    requestId: string;
    /** Tells who calls, and takes a permit of the rate limit; throws the refusal. */
    admit: (authorization: string | null) => Promise<Caller>;
    /** Set by the operation's own middleware: present in every handler of an operation. */
    caller: Caller;
    /** Further keys that the specification wants in this operation's error bodies. */
    errorExtras?: Readonly<Record<string, unknown>>;
    /** What the answer warns of (warnings.ts). */
    warnings?: readonly string[];
    /** Limit the operation's name in the request log to what is documented. */
    operationId?: string;
    /** What this operation takes, for refusals and warnings. */
    operation?: OperationInputs;
  };
}
