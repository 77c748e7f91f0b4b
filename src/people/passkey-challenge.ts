import { hmac, isHmac } from "../core/hmac.ts";
import { MINUTE } from "../core/time.ts";
import { base64Url, fromBase64Url, randomBase62 } from "../core/tokens.ts";

/**
 * Challenges that a passkey signs. Each names its end and carries a MAC over what it is for and the browser
 * that got it, so showing a page writes nothing. The one that was answered is stored (`used_challenges`):
 * none counts twice.
 */
const CHALLENGE_LIFE_MS = 10 * MINUTE;

export interface ChallengeSubject {
  /** `sign-in`, or the person who adds a passkey. */
  readonly purpose: "sign-in" | `add:${number}`;
  readonly browserHash: string;
}

export async function newChallenge(signingKey: string, subject: ChallengeSubject, now: number): Promise<string> {
  const head = `${now + CHALLENGE_LIFE_MS}.${randomBase62(22)}`;
  const mac = await hmac(signingKey, signedText(subject, head));
  return base64Url(new TextEncoder().encode(`${head}.${base64Url(mac)}`));
}

/** When an own challenge ends; null for one of another browser or purpose, and for one that has expired. */
export async function endOfChallenge(
  signingKey: string,
  subject: ChallengeSubject,
  challenge: string,
  now: number,
): Promise<number | null> {
  const bytes = fromBase64Url(challenge);
  const [, head = "", end = "", mac = ""] =
    /^((\d{13})\.\w{22})\.([\w-]{43})$/.exec(bytes === null ? "" : new TextDecoder().decode(bytes)) ?? [];
  const signature = fromBase64Url(mac);
  const text = new TextEncoder().encode(signedText(subject, head));
  const isOwn = head !== "" && signature !== null && (await isHmac(signingKey, text, signature));
  return isOwn && Number(end) > now ? Number(end) : null;
}

function signedText({ purpose, browserHash }: ChallengeSubject, head: string): string {
  return `passkey-challenge ${purpose} ${browserHash} ${head}`;
}
