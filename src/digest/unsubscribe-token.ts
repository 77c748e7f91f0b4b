import { hmac, isHmac } from "../core/hmac.ts";
import { idOf, type PersonId, type ProjectId } from "../core/ids.ts";
import { base64Url, fromBase64Url } from "../core/tokens.ts";
import type { Member } from "../people/members.ts";

/** The last part of an unsubscribe address: whose digest of which project, signed for this purpose alone. */
export async function unsubscribeToken(signingKey: string, member: Member): Promise<string> {
  const subject = `${member.personId}-${member.projectId}`;
  return `${subject}-${base64Url(await hmac(signingKey, textOf(subject)))}`;
}

/** Null if none of the keys signed it. */
export async function readUnsubscribeToken(signingKeys: readonly string[], token: string): Promise<Member | null> {
  const [, person, project, mac = ""] = /^(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  const bytes = fromBase64Url(mac);
  if (!bytes) return null;
  const text = new TextEncoder().encode(textOf(`${person}-${project}`));
  for (const key of signingKeys) {
    if (await isHmac(key, text, bytes))
      return { personId: idOf<PersonId>(Number(person)), projectId: idOf<ProjectId>(Number(project)) };
  }
  return null;
}

const textOf = (subject: string): string => `unsubscribe-digest ${subject}`;
