import { z } from "zod";
import { possessive } from "../outcomes.ts";
import type { Problem, RefusalTable, Row } from "../refusals.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";
import { GRAPH_RANGES, GRAPH_ROWS, TRANSIENT } from "./error-table.ts";
import { appPauseSeconds, statedWaitSeconds } from "./usage.ts";

/**
 * Interprets errors of Meta's Graph API, for all products.
 *
 * - The HTTP status is not reliable: nearly every refusal is a 400. `code` and `error_subcode` decide;
 *   numbers of seven digits appear as either. Threads also returns names, in one of three fields.
 * - Codes 1 and 2 leave open whether the call was carried out.
 * - Only Graph's error object comes from Meta. A page without one comes from a gateway and proves
 *   no refusal.
 * - `message` may quote a token, which is masked where the words are shown.
 */
export interface GraphErrors {
  /** Words in sentences: the product ("Facebook"), the account ("Page"), and the site for fixes. */
  readonly title: string;
  readonly account: string;
  readonly site: string;
  /** Its own errors, which come before the shared ones. */
  readonly rows: readonly Row[];
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
    // Gateways write `{"error":{"code":403,"message":…}}` too; these keys prove Graph.
    .refine(({ type, fbtrace_id, error_subcode }) => (type ?? fbtrace_id ?? error_subcode) !== undefined),
});
export type GraphError = z.output<typeof GraphErrorBody>["error"];

/** Graph's error object; null if the answer has none. */
export function errorOf(answer: Answered | Lost): GraphError | null {
  return answer.kind === "answered" ? (parseBody(GraphErrorBody, answer)?.error ?? null) : null;
}

/** Whether Graph reports the object as missing, deleted or not visible to us. */
export function isGone(answer: Answered | Lost): boolean {
  const error = errorOf(answer);
  return error?.code === 100 && error.error_subcode === 33;
}

/** Whether Graph refuses the value, or the name, of this parameter. */
export function isAboutParameter(answer: Answered | Lost, name: string): boolean {
  const error = errorOf(answer);
  return error?.code === 100 && (error.message ?? "").toLowerCase().includes(name);
}

/** The codes of an error, the most specific first. */
export function codesOf({ code, error_subcode: subcode, message, error_user_msg, is_transient }: GraphError): string[] {
  const name = /\b[A-Z]+(?:_[A-Z]+)*__[A-Z_]+\b/.exec(`${code} ${message} ${error_user_msg}`) ?? [];
  const isBigSubcode = subcode !== undefined && subcode > 999;
  const isTransient = is_transient === true;
  return [
    ...name,
    `${code}/${subcode}`,
    ...(isBigSubcode ? [`${subcode}`] : []),
    // A temporarily bad parameter is not a refusal.
    ...(code === 100 && isTransient ? [] : [`${code}`]),
    ...(typeof code === "number" ? rangesOf(code) : []),
    ...(isTransient ? [TRANSIENT] : []),
  ];
}

function rangesOf(code: number): string[] {
  if (code >= 200 && code <= 299) return ["200-299"];
  return code >= 80_000 && code <= 80_099 ? ["80000-80099"] : [];
}

/** The row of a code in the product's table; undefined if there is none. */
export function rowOf({ rows }: Pick<GraphErrors, "rows">, codes: readonly string[]): Row | undefined {
  const named = codes.find((code) => [...rows, ...GRAPH_ROWS].some(([when]) => when === code));
  return [...rows, ...GRAPH_ROWS].find(([when]) => when === named);
}

/** Statuses of Graph's refusals: nearly always 400, whatever the code (facebook.md §1.4). */
const REFUSING = [400, 401, 403, 404, 429];

export function graphTable(product: GraphErrors): RefusalTable {
  return {
    title: product.title,
    problemOf(answer) {
      const error = errorOf(answer);
      return error && toProblem(product, error);
    },
    rows: [...product.rows, ...GRAPH_ROWS, ...GRAPH_RANGES],
    documentedAt: REFUSING,
    waitSeconds: (headers, _now, wait) => statedWaitSeconds(headers) ?? wait ?? appPauseSeconds(headers),
    fill: (sentence) => inWordsOf(product, sentence),
    // A proxy that requires a login has forwarded nothing. After any other page, the call may have succeeded.
    heldBack: [401, 407],
  };
}

function toProblem({ title }: GraphErrors, error: GraphError): Problem {
  const { code, error_subcode, message = "", error_user_msg } = error;
  const quote = error_user_msg || message || null;
  const number = error_subcode ? `${code}/${error_subcode}` : `${code}`;
  return { codes: codesOf(error), text: message, quote, mark: quote ? number : `${title} error ${number}` };
}

/** Inserts the product's words into a sentence of a table. */
export function inWordsOf({ title, account, site }: GraphErrors, sentence: string): string {
  return sentence
    .replaceAll("{title}'s", possessive(title))
    .replaceAll("{title}", title)
    .replaceAll("{account}", account)
    .replaceAll("{site}", site);
}
