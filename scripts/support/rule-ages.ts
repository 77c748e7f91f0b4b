import { platforms } from "../../src/platforms/registry.ts";
import { RULE_AGE_DAYS, type RuleSource, type RuleSources } from "../../src/platforms/rule-sources.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Rules of platforms that were not compared with the platform's pages for 90 days, one line each: the oldest
 * first. A platform changes its rules without a word.
 */
export function oldRules(now: number): readonly string[] {
  const listed: { readonly name: string; readonly sources: RuleSources }[] = Object.values(platforms);
  return listed
    .flatMap(({ name, sources: { of, ofKind = {} } }) => [
      ...Object.entries(of).map(([subject, source]) => ({ what: `${name}: ${subject}`, ...source })),
      ...Object.entries(ofKind).map(([kind, source]) => ({ what: `${name}: files (${kind})`, ...source })),
    ])
    .filter((rule) => ageInDays(rule, now) > RULE_AGE_DAYS)
    .toSorted((a, b) => ageInDays(b, now) - ageInDays(a, now))
    .map((rule) => `${rule.what}, of ${rule.asOf} (${ageInDays(rule, now)} days): ${rule.source}`);
}

const ageInDays = ({ asOf }: RuleSource, now: number): number => Math.floor((now - Date.parse(asOf)) / DAY_MS);
