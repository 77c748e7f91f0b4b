import type { PlatformName, PostType } from "../../src/platforms/names.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { FACTS, type Facts, SAMPLES } from "../../test/contract/facts.ts";
import { planOf } from "../../test/contract/plan.ts";
import { isSilent } from "../../test/contract/shapes.ts";

/**
 * The kinds of posts that the commands publish, for each platform. They follow from the adapters'
 * declarations and use the sandbox's sample files, like the contract suite. A new platform needs no change
 * here.
 */
export interface Kind {
  readonly platform: PlatformName;
  /** The name in the contract suite: "a text", "a reel", "images in order". */
  readonly name: string;
  readonly postType: PostType;
  /** Sample files of each published item; more than one item is a thread. */
  readonly items: readonly (readonly string[])[];
  /** Published without its text. */
  readonly isSilent: boolean;
  /** Fields of create-post that the platform requires. */
  readonly required: Readonly<Record<string, unknown>>;
}

export interface KnownPlatform {
  readonly name: PlatformName;
  readonly kinds: readonly [Kind, ...Kind[]];
  /** All logins needed to publish and to reply to comments there, by their names on the connect page. */
  readonly logins: readonly string[];
  readonly facts: Facts;
  /** Whether an expired token is renewed without the account owner. */
  readonly isRenewable: boolean;
}

/** In the order of the registry. Throws if a platform has no entry in contract/facts.ts. */
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
    if (!own || !first) throw new Error(`${name} needs an entry in contract/facts.ts, and a kind of post.`);
    return { name, kinds: [first, ...others], logins, facts: own, isRenewable: plan.renewedBy === "refresh_token" };
  });
}
