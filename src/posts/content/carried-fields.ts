import type { Channel } from "../../channels/store.ts";
import type { LeftOut } from "../../media/check.ts";
import type { PostType } from "../../platforms/names.ts";
import { type PostFields, postField } from "../../platforms/post-fields.ts";
import type { ContentItem } from "../../platforms/publishing.ts";

/**
 * Fields of a request that only some kinds of post carry (`declared`, `options`). Others are left out, and
 * reported.
 */

export type OfAccount = Pick<Channel, "platform" | "attributes">;

/** A kind of post of an account. */
export interface CarriedBy<Name extends string> {
  readonly fields: PostFields<Name>;
  readonly channel: OfAccount;
  readonly type: PostType;
}

/** The values that such a post carries. */
export function carried<Values extends object, Name extends keyof Values & string>(
  values: Values,
  names: readonly Name[],
  { fields, channel, type }: CarriedBy<Name>,
): Partial<Pick<Values, Name>> {
  const kept = names.filter((name) => postField(fields, name, type, channel.attributes) !== null);
  const entries = kept.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const]));
  return Object.fromEntries(entries) as Partial<Pick<Values, Name>>;
}

interface Asked<Name extends string> extends CarriedBy<Name> {
  /** The field of the request that has the names. */
  readonly under: "declared" | "options";
  /** What the caller can do instead; ends the sentence. */
  readonly instead: string;
}

/** The names that such a post does not carry. Without `items` the kinds of its files are unknown. */
export function notCarried<Name extends string>(
  names: readonly Name[],
  { fields, channel, type, under, instead }: Asked<Name>,
  items: readonly Pick<ContentItem, "media">[],
): readonly LeftOut[] {
  const { platform, attributes } = channel;
  const kinds = items.flatMap(({ media }) => media.map(({ kind }) => kind));
  return names.flatMap((name) => {
    const field = postField(fields, name, type, attributes);
    const path = `${under}.${name}`;
    const lost = (why: string) => [
      { field: path, message: `\`${path}\` is left out: ${platform} has ${why}.${instead}` },
    ];
    if (field === null) return lost(`no field for it in a ${type} of this account`);
    const { onlyWith } = field;
    if (onlyWith === undefined || kinds.length === 0 || kinds.includes(onlyWith)) return [];
    return lost(`a field for it with a ${onlyWith} only`);
  });
}
