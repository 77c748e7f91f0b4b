import type { Caller } from "../core/caller.ts";
import type { ProjectId } from "../core/ids.ts";
import type { Bindings, Deps } from "../service/deps.ts";
import type { OperationInputs } from "./shape.ts";

/** A stream of a file's bytes, and the number of bytes that its sender announced. */
export interface IncomingFile {
  readonly body: ReadableStream<Uint8Array>;
  readonly bytes: number;
  /** The canonical name of the charset that the sender declares; null without one. */
  readonly charset: string | null;
}

/** What Hono carries with each request. */
export interface AppEnv {
  Bindings: Bindings;
  Variables: {
    deps: Deps;
    requestId: string;
    /** Identifies the caller and takes a permit of the rate limit; throws the refusal. */
    admit: (authorization: string | null) => Promise<Caller>;
    /** Called between the admission and the work of each operation; if it fails, the operation does. */
    begin: (operation: { readonly id: string; readonly audited?: true }, caller: Caller) => Promise<void>;
    /** The project that pays for the rows that the request reads (request-pace.ts), and its database. */
    payer?: { readonly deps: Deps; readonly projectId: ProjectId };
    /** The same of an operation with a JSON body, called once the body is valid. */
    beginWithBody?: () => Promise<void>;
    /** Set by the operation's own middleware: present in every handler of an operation. */
    caller: Caller;
    /** Additional keys that the specification requires in this operation's error bodies. */
    errorExtras?: Readonly<Record<string, unknown>>;
    /** The warnings of the response (warnings.ts). */
    warnings?: readonly string[];
    /** Set in code, so that the request log holds only known operation names. */
    operationId?: string;
    /** The body of an operation that takes a file (raw-body.ts). */
    file?: IncomingFile;
    /** What this operation accepts, for refusals and warnings. */
    operation?: OperationInputs;
  };
}
