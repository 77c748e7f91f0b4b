import type { PlatformName, PostType } from "../../src/platforms/names.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { FACTS, type Facts, SAMPLES } from "../../test/contract/facts.ts";
import { planOf } from "../../test/contract/plan.ts";
import { isSilent } from "../../test/contract/shapes.ts";

/**
 * What the commands publish, platform by platform: read from what each adapter declares and made of the
 * sandbox's sample files, as in the contract suite. A new platform is met here without another line.
 */
export interface Kind {
  readonly platform: PlatformName;
  /** As the contract suite calls it: "a text", "a reel", "images in order". */
  readonly name: string;
  readonly postType: PostType;
  /** Sample files of each item that goes live; more than one item is a thread. */
  readonly items: readonly (readonly string[])[];
  /** Shown without its text. */
  readonly isSilent: boolean;
  /** Fields of create-post without which the platform takes nothing. */
  readonly required: Readonly<Record<string, unknown>>;
}

export interface KnownPlatform {
  readonly name: PlatformName;
  readonly kinds: readonly [Kind, ...Kind[]];
  /**
   * All that a person goes through to publish there and to answer comments, by the names of the connect page.
   */
  readonly logins: readonly string[];
  readonly facts: Facts;
  /** Whether a token that has run out is renewed without its person. */
  readonly isRenewable: boolean;
}

/** In the order of the registry. Throws when a platform lacks its entry in contract/facts.ts. */
export function knownPlatforms(): readonly KnownPlatform[] {
  const facts: Readonly<Partial<Record<PlatformName, Facts>>> = FACTS;
  return Object.values(platforms).map((platform) => {
    const { name, additionalLogins = [] } = platform;
    const further = additionalLogins.filter(({ purpose }) => purpose !== "ads");
    const logins = [name, ...further.map(({ purpose }) => `${name}:${purpose}`)];
    const own = facts[name];
    const plan = planOf(platform, SAMPLES);
    const [first, ...others] = plan.typical.map((shape): Kind => {
      const { type: postType, items } = shape;
      return {
        platform: name,
        name: shape.name,
        postType,
        items,
        isSilent: isSilent(shape),
        required: own?.required ?? {},
      };
    });
    if (!own || !first)
      throw new Error(`${name} needs an entry in contract/facts.ts, and something that can be posted.`);
    return { name, kinds: [first, ...others], logins, facts: own, isRenewable: plan.renewedBy === "refresh_token" };
  });
}
