import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { describeBluesky } from "./atproto.ts";
import { EXCEPTIONS, type Exception } from "./exceptions.ts";
import { describeGoogle } from "./google.ts";
import { describeMeta } from "./meta.ts";
import { CALLS, type Claim, type Describe, Sent, withoutIds } from "./sent.ts";
import { describeThreads } from "./threads.ts";
import { describeTikTok } from "./tiktok.ts";
import { describeX } from "./x.ts";

/**
 * Adapters call what exists: every request that the tests send (run-reporter.ts) is compared with a
 * description that others wrote and published on npm. What the description does not have fails the
 * run, unless exceptions.ts lists it with a reason and a date; that no entry is needless, or of a name that
 * no adapter has, is tested in test/platforms/foreign/. One line for each flaw of the last run.
 */
export function checkCalls(): readonly string[] {
  const sent = existsSync(CALLS) ? z.array(Sent).parse(JSON.parse(readFileSync(CALLS, "utf8"))) : [];
  return sent.length === 0 ? [] : findFlaws(sent);
}

let describes: readonly Describe[] | undefined;

/** What the requests take for granted, each claim once. */
export function claimsOf(sent: readonly Sent[]): readonly Claim[] {
  describes ??= [describeGoogle(), describeMeta, describeThreads(), describeX(), describeTikTok(), describeBluesky];
  const all = describes;
  const claims = new Map<string, Claim>();
  for (const one of sent) {
    const own = all.reduce<readonly Claim[] | null>((found, describe) => found ?? describe(one), null);
    for (const claim of own ?? [undescribed(one)]) {
      // Two kinds of objects may share a claim: one of them not having it counts.
      const isKnown = claim.isKnown && (claims.get(claim.text)?.isKnown ?? true);
      claims.set(claim.text, { ...claim, isKnown });
    }
  }
  return [...claims.values()];
}

/**
 * A call of a host that has no description on npm; where a platform names the address of an upload, its
 * start.
 */
const undescribed = ({ method, host, path }: Sent): Claim => ({
  text: `${host} ${method} ${withoutIds(path)
    .replace(/^(\/dms-uploads\/).*/, "$1")
    .replace(/\/v\d+\.\d+(?=\/)/, "")}`,
  isKnown: false,
});

/** Claims that neither a description nor the list has. */
export function findFlaws(sent: readonly Sent[], exceptions: readonly Exception[] = EXCEPTIONS): readonly string[] {
  return claimsOf(sent).flatMap(({ text, isKnown }) =>
    isKnown || exceptions.some((one) => isListed(one, text)) ? [] : [`  ${text}`],
  );
}

/**
 * Claims that a description has, although the list has them too: with a newer description an entry can go.
 */
export function findNeedless(sent: readonly Sent[], exceptions: readonly Exception[] = EXCEPTIONS): readonly string[] {
  return claimsOf(sent).flatMap(({ text, isKnown }) =>
    isKnown && exceptions.some((one) => isListed(one, text)) ? [text] : [],
  );
}

/** Whether the exception lists this claim: `at` and one of its names. */
export const isListed = ({ at, names }: Exception, text: string): boolean =>
  names === undefined ? at === text : text.startsWith(`${at} `) && names.includes(text.slice(at.length + 1));
