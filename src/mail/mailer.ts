import { z } from "zod";
import { FixedTextError } from "../core/error-text.ts";

/**
 * Sends e-mail: through Cloudflare's `send_email` binding `MAIL`, or by a POST of
 * `{from, to, subject, text}`, and `headers` of a digest, to `MAIL_URL`. That POST has
 * `Authorization: Bearer MAIL_TOKEN`.
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
}

export interface Mailer {
  /** Throws if the message was not accepted. */
  send(message: Message): Promise<void>;
}

/** Null if the sender's address or both ways to send are missing. */
export function createMailer({ from, url, token }: MailSettings, binding: unknown, reach: typeof fetch): Mailer | null {
  if (from === null) return null;
  const bound = Binding.safeParse(binding);
  if (bound.success) return { send: async (message) => void (await bound.data.send({ from, ...message })) };
  return url === null ? null : { send: (message) => post({ url, token, reach }, { from, ...message }) };
}

type SentMessage = Message & { readonly from: string };
const Binding = z.custom<{ send(message: SentMessage): Promise<unknown> }>(
  (value) => typeof value === "object" && value !== null && "send" in value,
);

const PATIENCE_MS = 10_000;

interface Server {
  readonly url: string;
  readonly token: string | null;
  readonly reach: typeof fetch;
}

async function post({ url, token, reach }: Server, message: SentMessage): Promise<void> {
  const response = await reach(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(message),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new FixedTextError(`The mail server answered ${response.status}.`);
}
