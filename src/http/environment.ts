import type { Caller } from "../core/caller.ts";
import type { Bindings, Deps } from "../service/deps.ts";
import type { OperationInputs } from "./shape.ts";

/** The bytes of a file as they come, and how many of them its sender has announced. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly bytes: number;
}

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
    /** The body of an operation that takes a file (raw-body.ts). */
    file?: IncomingFile;
    /** What this operation takes, for refusals and warnings. */
    operation?: OperationInputs;
  };
}
