import { z } from "zod";
import type { Dialect } from "../answers.ts";
import type { Duplicate, Failure, Unknown } from "../context.ts";
import { possessive, quoting, throttled, unknown } from "../outcomes.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";
import { type Entry, type ErrorTable, GRAPH_ERRORS, NO_PROOF, OWN_LIMIT, PERMISSION } from "./error-table.ts";
import { appPauseSeconds, toldWaitSeconds } from "./usage.ts";

/**
 * What an error of Meta's Graph API means for us, whichever product it is of.
 *
 * - The HTTP status is not reliable: nearly every refusal is a 400. Errors are sorted by `code` and
 *   `error_subcode`; the numbers of seven digits turn up as either. Threads also writes names, in one of
 *   three places.
 * - Codes 1 and 2 do not say whether the call was carried out.
 * - Only Graph's error object comes from Meta. A page without one comes from a gateway on the way: trouble,
 *   no refusal.
 * - `message` may quote a token, `error_user_msg` may not.
 */
export interface GraphErrors {
  /**
   * As sentences name the product ("Facebook"), what is acted on there ("Page"), and where a person puts it
   * right.
   */
  readonly title: string;
  readonly account: string;
  readonly site: string;
  /** Its own errors, which come before those of all products. */
  readonly errors: ErrorTable;
}

const GraphErrorBody = z.object({
  error: z
    .object({
      code: z.union([z.number(), z.string().min(1)]).transform((code) => (Number.isFinite(+code) ? +code : code)),
      type: z.string().optional(),
      fbtrace_id: z.string().optional(),
      error_subcode: z.coerce.number().optional(),
      message: z.string().optional(),
      error_user_msg: z.string().optional(),
      is_transient: z.boolean().optional(),
    })
    // Gateways write `{"error":{"code":403,"message":…}}` too; these are Graph's own marks.
    .refine(({ type, fbtrace_id, error_subcode }) => (type ?? fbtrace_id ?? error_subcode) !== undefined),
});
export type GraphError = z.output<typeof GraphErrorBody>["error"];

/** Graph's error object; null where the answer has none. */
export function errorOf(answer: Answered | Lost): GraphError | null {
  return answer.kind === "answered" ? (parseBody(GraphErrorBody, answer)?.error ?? null) : null;
}

/** Whether Graph says that the object is missing, deleted or not visible to us. */
export function isGone(answer: Answered | Lost): boolean {
  const error = errorOf(answer);
  return error?.code === 100 && error.error_subcode === 33;
}

/** Whether Graph refuses the value, or the name, of this parameter. */
export function isAboutParameter(answer: Answered | Lost, name: string): boolean {
  const error = errorOf(answer);
  return error?.code === 100 && (error.message ?? "").toLowerCase().includes(name);
}

/**
 * The entry of the first key that is listed, the product's own before the common one; undefined for what is
 * not.
 */
export function findEntry(own: ErrorTable, error: GraphError): Entry | undefined {
  const { code, error_subcode: subcode } = error;
  const keys = [
    ...(nameIn(error) ?? []),
    `${code}/${subcode}`,
    ...(subcode !== undefined && subcode > 999 ? [`${subcode}`] : []),
    `${code}`,
  ];
  return keys.map((key) => own[key] ?? GRAPH_ERRORS[key]).find((entry) => entry !== undefined);
}

function nameIn({ code, message, error_user_msg }: GraphError): string[] | null {
  return /\b[A-Z]+(?:_[A-Z]+)*__[A-Z_]+\b/.exec(`${code} ${message} ${error_user_msg}`);
}

export function graphDialect(product: GraphErrors): Dialect {
  return {
    title: product.title,
    refusal(answer) {
      const error = errorOf(answer);
      return error && classify(product, error, answer);
    },
    documents(answer) {
      const error = errorOf(answer);
      return error !== null && REFUSING.has(answer.status) && documented(product, error) !== undefined;
    },
    waitSeconds: toldWaitSeconds,
    // Who asks for a login does so before passing anything on; any other page may stand in the place of a
    // success.
    heldBack: [401, 407],
  };
}

function classify(
  product: GraphErrors,
  error: GraphError,
  { status, headers }: Answered,
): Failure | Unknown | Duplicate {
  const [verdict, advice, { waitSeconds, code, limit } = {}] = documented(product, error) ?? byStatus(error, status);
  const message = sentence(product, advice, error);
  if (verdict === "unclear") return unknown(message);
  if (verdict === "duplicate") return { kind: "duplicate", message };
  if (verdict !== "throttled") return { kind: "failed", reason: verdict, message, ...(code ? { code } : {}) };
  return throttled(message, toldWaitSeconds(headers) ?? waitSeconds ?? appPauseSeconds(headers), code, limit);
}

/** With which statuses Graph refuses: nearly always 400, whatever the code (facebook.md §1.4). */
const REFUSING: ReadonlySet<number> = new Set([400, 401, 403, 404, 429]);

/** The entry of an error that is documented, by its number or its range; undefined for any other. */
function documented({ errors }: GraphErrors, error: GraphError): Entry | undefined {
  return findEntry(errors, error) ?? byRange(error);
}

function byRange({ code, message, is_transient }: GraphError): Entry | undefined {
  if (typeof code !== "number") return undefined;
  if (code >= 200 && code <= 299) return ["permission_missing", PERMISSION];
  if (code >= 80_000 && code <= 80_099) return ["throttled", OWN_LIMIT, { limit: "account" }];
  if (code !== 100 || is_transient) return undefined;
  // Only the words tell a missing or wrong proof from any other bad parameter.
  return message?.includes("appsecret_proof") ? ["blocked", NO_PROOF] : REFUSED;
}

const REFUSED: Entry = ["rejected", "{title} refused this."];

function byStatus({ is_transient }: GraphError, status: number): Entry {
  return status >= 500 || is_transient ? ["unclear", "{title} had a passing error."] : REFUSED;
}

function sentence(product: GraphErrors, advice: string, error: GraphError): string {
  const { code, error_subcode, message, error_user_msg } = error;
  const { title } = product;
  const words = error_user_msg ?? (message && !/token|secret|EAA/i.test(message) ? message : null);
  const number = error_subcode ? `${code}/${error_subcode}` : `${code}`;
  const said = quoting(inWordsOf(product, advice), title, words);
  return words ? `${said} (${number})` : `${said} (${title} error ${number})`;
}

/** An advice of a table with the product's words in it. */
export function inWordsOf({ title, account, site }: GraphErrors, advice: string): string {
  return advice
    .replaceAll("{title}'s", possessive(title))
    .replaceAll("{title}", title)
    .replaceAll("{account}", account)
    .replaceAll("{site}", site);
}
