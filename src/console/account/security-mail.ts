import type { Visit } from "../definition.ts";

/** What the owner of an account is told by e-mail, because it may have been somebody else. */
export type SecurityEvent = "browser" | "passkey" | "token";

/** Where to look: the person's own pages, without names that others choose. */
const PAGES: Readonly<Record<SecurityEvent, string>> = {
  browser: "/console/account",
  passkey: "/console/account",
  token: "/console/projects",
};

type Mailing = Pick<Visit, "deps" | "origin" | "texts" | "browser" | "background">;

/** Sends it after the answer; a mail that is not accepted is in the operator's log only. */
export function mailSecurityEvent(visit: Mailing, to: string, event: SecurityEvent): void {
  const { deps, origin, texts, browser, background } = visit;
  const { mailer } = deps;
  if (mailer === null) return;
  const { events, text } = texts.account.mails;
  const from = [browser.device || texts.account.device, browser.place || texts.account.place].join(", ");
  const subject = events[event];
  const message = { to, subject, text: text(subject, from, `${origin}${PAGES[event]}`) };
  background(mailer.send(message).catch((error: unknown) => deps.log.error("mail_not_sent", error)));
}
