import { z } from "zod";
import { FixedTextError } from "../core/error-text.ts";

/**
 * Sends e-mail: through Cloudflare's `send_email` binding `MAIL`, or by a POST of
 * `{from, to, subject, text}`, and `headers` of a digest, to `MAIL_URL`. That POST has
 * `Authorization: Bearer MAIL_TOKEN`, and `Idempotency-Key` for a digest.
 */
export interface MailSettings {
  readonly from: string | null;
  readonly url: string | null;
  readonly token: string | null;
}

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Further headers of the mail. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same for every attempt: the header `Idempotency-Key` of the POST. */
  readonly key?: string;
}

export interface Mailer {
  /**
   * Throws a `MailRefused` if the message was not accepted for certain. After another error its outcome is
   * unknown.
   */
  send(message: Message): Promise<void>;
}

/** The mail server documents that it did not accept a message. */
export class MailRefused extends FixedTextError {
  /** Whether the message or its address is refused; otherwise the server accepts none now. */
  readonly isForGood: boolean;

  constructor(sentence: string, isForGood: boolean) {
    super(sentence);
    this.isForGood = isForGood;
  }
}

/** Null if the sender's address or both ways to send are missing. */
export function createMailer({ from, url, token }: MailSettings, binding: unknown, reach: typeof fetch): Mailer | null {
  if (from === null) return null;
  const bound = Binding.safeParse(binding);
  if (bound.success) return { send: (message) => sendBound(bound.data, { from, ...message }) };
  return url === null ? null : { send: (message) => post({ url, token, reach }, { from, ...message }) };
}

type SentMessage = Message & { readonly from: string };
const Binding = z.custom<{ send(message: SentMessage): Promise<unknown> }>(
  (value) => typeof value === "object" && value !== null && "send" in value,
);

async function sendBound(binding: z.output<typeof Binding>, { key: _, ...message }: SentMessage): Promise<void> {
  try {
    await binding.send(message);
  } catch (error) {
    const code = Coded.safeParse(error).data?.code ?? "";
    if (ADDRESS_CODES.has(code)) throw new MailRefused(`The mail service refused the message: ${code}.`, true);
    if (BUSY_CODES.has(code)) throw new MailRefused(`The mail service accepts no message: ${code}.`, false);
    throw error;
  }
}

/**
 * Codes of `send_email` that say that nothing was sent. Unverified: from Cloudflare's documentation alone.
 */
const Coded = z.object({ code: z.string() });
const ADDRESS_CODES = new Set(["E_RECIPIENT_NOT_ALLOWED", "E_RECIPIENT_SUPPRESSED", "E_VALIDATION_ERROR"]);
const BUSY_CODES = new Set(["E_RATE_LIMIT_EXCEEDED", "E_DAILY_LIMIT_EXCEEDED", "E_SENDER_NOT_VERIFIED"]);

const PATIENCE_MS = 10_000;

interface Server {
  readonly url: string;
  readonly token: string | null;
  readonly reach: typeof fetch;
}

async function post({ url, token, reach }: Server, { key, ...message }: SentMessage): Promise<void> {
  const request = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    },
    body: JSON.stringify(message),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  } as const;
  const { status, body, ok } = await reach(url, request).catch((error: unknown) => {
    throw isFailedConnect(error) ? new MailRefused("The mail server could not be reached.", false) : error;
  });
  await body?.cancel();
  if (ok) return;
  const sentence = `The mail server answered ${status}.`;
  if (status === 503 || OF_THE_SERVER.has(status)) throw new MailRefused(sentence, false);
  // A redirect is not followed, and a 5xx may come from a gateway after the message was accepted.
  throw status >= 400 && status < 500 ? new MailRefused(sentence, true) : new FixedTextError(sentence);
}

/** Refusals of every message: the credentials, the address of the server, its limits. */
const OF_THE_SERVER: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 421, 425, 429]);

/**
 * Whether no connection was made: the name or the server does not answer. A connection that breaks is none.
 */
const isFailedConnect = (error: unknown): boolean =>
  error instanceof Error &&
  /connection refused|could ?n[o']t connect|ECONNREFUSED|dns|name resolution/i.test(error.message);
