import { DAY } from "../../core/time.ts";
import { sha256Hex } from "../../core/tokens.ts";
import { type Allowance, countUse } from "../../db/allowances.ts";
import type { Visit } from "../definition.ts";

/** What is mailed to the owner of an account, because another person may have done it. */
export type SecurityEvent = "browser" | "passkey" | "token";

/** Where to look: the person's own pages, without names that others choose. */
const PAGES: Readonly<Record<SecurityEvent, string>> = {
  browser: "/console/account",
  passkey: "/console/account",
  token: "/console/projects",
};

/** In a day, to one person. */
const MAX_SECURITY_MAILS = 20;

type Mailing = Pick<Visit, "deps" | "origin" | "texts" | "browser" | "background" | "now">;

/** Sends it after the answer, twenty a day at most. The operator's log has those that are not accepted. */
export function mailSecurityEvent(visit: Mailing, to: string, event: SecurityEvent): void {
  const { deps, origin, texts, browser, background } = visit;
  const { mailer } = deps;
  if (mailer === null) return;
  const { events, text } = texts.account.mails;
  const from = [browser.device || texts.account.device, browser.place || texts.account.place].join(", ");
  const subject = events[event];
  const message = { to, subject, text: text({ subject, from, link: `${origin}${PAGES[event]}` }) };
  const send = async () => {
    if (await isAllowed(visit, to)) await mailer.send(message);
  };
  background(send().catch((error: unknown) => deps.log.error("mail_not_sent", error)));
}

async function isAllowed({ deps, now }: Mailing, to: string): Promise<boolean> {
  const allowance: Allowance = {
    key: `security-mails-to:${await sha256Hex(to)}`,
    most: MAX_SECURITY_MAILS,
    windowMs: DAY,
  };
  const [counted] = await countUse(deps.directory, allowance, now);
  return counted !== undefined && counted.used <= MAX_SECURITY_MAILS;
}
