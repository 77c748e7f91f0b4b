import { z } from "@hono/zod-openapi";
import type { Caller } from "../core/caller.ts";
import type { FieldErrors } from "../core/errors.ts";
import type { Paced } from "../core/page.ts";
import type { Permission } from "../core/permissions.ts";
import type { IdempotencyRecord } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import type { Endings } from "../service/endings.ts";
import type { IncomingFile } from "./environment.ts";
import type { Recall } from "./idempotency.ts";
import type { RawBody } from "./raw-body.ts";
import { inputsOf, type OperationInputs } from "./shape.ts";

/**
 * An operation of the API as a value: its contract, and what it does. The routes (operation-routes.ts), the
 * OpenAPI document (operation-document.ts), the agents' tools, the audit log and the console read it.
 */

/** What an operation knows of its call, whichever way it came. */
export interface As {
  readonly deps: Deps;
  readonly caller: Caller;
  /** What other features do when a post, a channel or a comment ends. */
  readonly endings: Endings;
  /** The public address of the service, such as `https://belfry.example.com`. */
  readonly origin: string;
  /** The public address of the request, for the addresses of other pages. */
  readonly url: URL;
  /** Reports what is accepted but may be a mistake. */
  readonly warn: (...sentences: readonly string[]) => void;
  /**
   * Acts at most once for the key of the call: `act` passes the record to the verb that creates, `recall`
   * rebuilds the first answer from what the verb stored. Without a key it only acts. `body` is what the key
   * stands for.
   */
  readonly once: <A>(
    body: unknown,
    act: (record: IdempotencyRecord | null) => Promise<A>,
    recall: Recall<A>,
  ) => Promise<A>;
  /** Reads a page of a list, which may wait for its turn. Throws `rate_limited`. */
  readonly paced: <T>(read: (turn: Paced["turn"]) => Promise<T>) => Promise<T>;
  /** Names the next page of a list whose answer has no place for it. */
  readonly linkNext: (url: URL) => void;
}

/** What a caller sent, checked by the schemas of the operation. */
export type InputOf<Params, Query, Body, Raw> = {
  readonly params: Params extends z.ZodType ? z.output<Params> : undefined;
  readonly query: Query extends z.ZodType ? z.output<Query> : undefined;
  readonly body: Body extends z.ZodType ? z.output<Body> : undefined;
  readonly file: Raw extends RawBody ? IncomingFile : undefined;
};

/** The answer 404 of an operation that has a body of its own for it (`notFound`). */
export class AbsentAnswer<Body> {
  readonly body: Body;
  constructor(body: Body) {
    this.body = body;
  }
}

type Absent<NotFound> = NotFound extends z.ZodType ? AbsentAnswer<z.input<NotFound>> : never;

/** The contract. Checks run in this order: 401, 429, permission, 422; `run` does the rest. */
interface Contract<Params, Query, Body, Raw, Answer extends z.ZodType, NotFound> {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** Below `/api/v1`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Any one of these is enough; "any" = every valid token. */
  readonly permission: Permission | readonly Permission[] | "any";
  /** The purpose of the permission, for the refusal: "to read posts". */
  readonly permits?: string;
  /** The status for a caller without the permission (spec 5.6). */
  readonly refusal?: 401 | 403 | 422;
  /** Whether the specification lacks this operation. */
  readonly extension?: true;
  /** Whether the operation supports `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Whether the caller may cache the response for some minutes, and then revalidate it (`ETag`). */
  readonly keepable?: true;
  /** The project's quotas that can refuse the operation, for the document: "posts waiting". */
  readonly quotas?: string;
  /**
   * Whether it calls a platform during the request, about something that the request names. That may not
   * exist, or the platform may not answer.
   */
  readonly asksPlatform?: true;
  /**
   * A typical refusal by the object's state, where nothing else can be invalid: a sentence
   * (`not_changeable`), or what is wrong with a field (`invalid_request`).
   */
  readonly refusedByState?: string | FieldErrors;
  /** Additional keys of this operation's error bodies, with an example of their value. */
  readonly errorExtras?: Readonly<Record<string, unknown>>;
  /** Another schema for the 404 body (`AbsentAnswer`). */
  readonly notFound?: NotFound;
  /**
   * Whether the audit log has it: deletions, what is said or done in the name of an account, and what changes
   * access, channels, bots, series, feeds, spending, webhooks and approvals. Posts have their own timelines.
   */
  readonly audited?: true;
  /** Names under which reads show fields of the body, with the names that the body has. */
  readonly readAs?: Readonly<Record<string, string>>;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Instead of `body`: a file, which `run` reads from `input.file`. */
  readonly rawBody?: Raw;
  readonly answer: Answer;
  readonly answerDescription: string;
  /** A typical response, for the document. */
  readonly example: z.input<Answer>;
}

export type AnyContract = Contract<
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  RawBody | undefined,
  z.ZodType,
  z.ZodType | undefined
>;

/** An operation with its types forgotten, as its readers list it. */
export interface Operation extends AnyContract {
  readonly inputs: OperationInputs;
  readonly run: (as: As, input: never) => Promise<unknown>;
}

/** What `operation` returns: its schemas and `run` keep their types for those who call it in code. */
export interface TypedOperation<Input, Answer> extends AnyContract {
  readonly inputs: OperationInputs;
  readonly run: (as: As, input: Input) => Promise<Answer>;
}

export function operation<
  Answer extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Raw extends RawBody | undefined = undefined,
  NotFound extends z.ZodType | undefined = undefined,
>(
  contract: Contract<Params, Query, Body, Raw, Answer, NotFound> & {
    readonly run: (as: As, input: InputOf<Params, Query, Body, Raw>) => Promise<z.input<Answer> | Absent<NotFound>>;
  },
): TypedOperation<InputOf<Params, Query, Body, Raw>, z.input<Answer> | Absent<NotFound>> {
  return { ...contract, inputs: inputsOf(contract) };
}

/** The permissions of which one is enough; none is needed if there are none. */
export function permissionsOf({ permission }: Pick<AnyContract, "permission">): readonly Permission[] {
  if (permission === "any") return [];
  return typeof permission === "string" ? [permission] : permission;
}

/** `status` of the answers that the specification does not shape otherwise. */
export const Done = z.literal(true);
