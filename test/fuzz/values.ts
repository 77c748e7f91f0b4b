import { happens, oneOf, type Random, whole } from "../support/random.ts";
import { type Api, resolve, type Schema } from "./document.ts";

/** What exists when the requests arrive. The same for every seed. */
export interface World {
  readonly channels: { readonly facebook: number; readonly twitter: number };
  /** May be disconnected. */
  readonly spareChannel: number;
  /** Another project's. */
  readonly strangers: { readonly channel: number; readonly post: number };
  /** The posts of the project have ids up to this one, and more with time. */
  readonly posts: number;
  readonly connectToken: string;
  /** Files that exist. Others must not be requested: waiting for them is not our fault. */
  readonly media: readonly [string, ...string[]];
}

export interface Making {
  readonly api: Api;
  readonly world: World;
  readonly random: Random;
}

/** A value that fits the schema. Names that stand for something of the world get that. */
export function fitting(making: Making, schema: unknown, name = ""): unknown {
  const { api, random } = making;
  const known = named(making, name);
  if (known !== undefined && happens(random, 0.9)) return known;
  const found = resolve(api, schema);
  const branches = [found.oneOf, found.anyOf].find(Array.isArray);
  if (branches && branches.length > 0) return fitting(making, branches[whole(random, 0, branches.length - 1)], name);
  if (Array.isArray(found.allOf)) {
    return Object.assign({}, ...found.allOf.map((part) => fitting(making, part, name)));
  }
  if ("const" in found) return found.const;
  if (Array.isArray(found.enum)) return found.enum[whole(random, 0, found.enum.length - 1)];
  const types = [found.type].flat();
  return ofType(making, found, types[whole(random, 0, types.length - 1)]);
}

function ofType(making: Making, schema: Schema, type: unknown): unknown {
  const { random } = making;
  switch (type) {
    case "object":
      return anObject(making, schema);
    case "array": {
      const most = Math.min(4, numberOf(schema.maxItems, 4));
      const length = whole(random, Math.min(most, numberOf(schema.minItems, 0)), most);
      return Array.from({ length }, () => fitting(making, schema.items ?? {}));
    }
    case "integer":
    case "number":
      return whole(random, numberOf(schema.minimum, 1), Math.min(1_000, numberOf(schema.maximum, 1_000)));
    case "boolean":
      return happens(random, 0.5);
    case "null":
      return null;
    default:
      return aText(random, schema);
  }
}

function anObject(making: Making, schema: Schema): Record<string, unknown> {
  const { api, random } = making;
  const { properties, required, additionalProperties } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const own = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const made = own.flatMap(([name, part]): [string, unknown][] =>
    needed.includes(name) || happens(random, 0.4) ? [[name, fitting(making, part, name)]] : [],
  );
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    for (let count = whole(random, 0, 3); count > 0; count--) {
      made.push([`key_${count}`, fitting(making, resolve(api, additionalProperties))]);
    }
  }
  return Object.fromEntries(made);
}

const WORDS = ["the", "new", "frames", "are", "in", "Zürich", "launch", "bikes", "今日", "🚲"] as const;

function aText(random: Random, { example, pattern, minLength, maxLength }: Schema): string {
  // Nothing here makes texts for a pattern: the document has an example of each.
  if (pattern !== undefined && typeof example === "string") return example;
  if (typeof example === "string" && happens(random, 0.3)) return example;
  const words = Array.from({ length: whole(random, 1, 8) }, () => oneOf(random, WORDS)).join(" ");
  return words.padEnd(numberOf(minLength, 0), "x").slice(0, numberOf(maxLength, 200));
}

/** The value of a name; undefined for the others. */
function named({ world, random }: Making, name: string): unknown {
  const { channels, spareChannel, strangers, posts } = world;
  switch (name) {
    case "channel_id":
      return oneOf(random, [channels.facebook, channels.twitter, channels.twitter, spareChannel, strangers.channel]);
    case "channel_type":
      return oneOf(random, ["facebook", "twitter", "twitter"]);
    case "post_type":
      return oneOf(random, ["post", "post", "tweet", "thread", "story"]);
    // What is published keeps the machine busy with something else than the requests.
    case "publish_mode":
      return happens(random, 0.02) ? "now" : oneOf(random, ["scheduled", "queued", "share_next"]);
    case "post_id":
    case "postId":
      return happens(random, 0.1) ? strangers.post : whole(random, 1, posts + 50);
    case "schedule_time":
      return `20${whole(random, 28, 31)}-0${whole(random, 1, 9)}-${whole(random, 10, 28)} 1${whole(random, 0, 9)}:30`;
    case "time_zone":
      return oneOf(random, ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]);
    case "media_urls":
      return happens(random, 0.5) ? [] : [oneOf(random, world.media)];
    case "connect_token":
      return world.connectToken;
    case "channels":
      return oneOf(random, ["facebook", "facebook,twitter", "youtube,tiktok,instagram"]);
    case "status":
      return oneOf(random, ["queued", "scheduled,failed", "published"]);
    case "platform":
      return oneOf(random, ["facebook", "twitter,facebook"]);
    case "health":
      return oneOf(random, ["connected", "expiring,reconnect_needed"]);
    default:
      return undefined;
  }
}

function numberOf(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}
