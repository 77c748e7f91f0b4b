import type { Channel } from "../../channels/store.ts";
import type { LeftOut } from "../../media/check.ts";
import type { PostType } from "../../platforms/names.ts";
import { type PostFields, postField } from "../../platforms/post-fields.ts";
import type { FileKind } from "./file-kinds.ts";

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
  insteadOf(name: Name): string;
}

/** The names that such a post does not carry, or may not carry: `kinds` of files that were not read. */
export function notCarried<Name extends string>(
  names: readonly Name[],
  { fields, channel, type, under, insteadOf }: Asked<Name>,
  kinds: readonly FileKind[],
): readonly LeftOut[] {
  const { platform, attributes } = channel;
  return names.flatMap((name) => {
    const field = postField(fields, name, type, attributes);
    const path = `${under}.${name}`;
    const lost = (why: string, when = "") => [
      { field: path, message: `\`${path}\` is left out${when}: ${platform} has ${why}.${insteadOf(name)}` },
    ];
    if (field === null) return lost(`no field for it in a ${type} of this account`);
    const { onlyWith, notWith } = field;
    const unfit = kinds.filter(({ kind }) => kind === notWith);
    if (notWith !== undefined && unfit.length > 0) {
      const isCertain = unfit.some(({ isRead }) => isRead);
      return lost(`no field for it with a ${notWith}`, isCertain ? "" : ` if the file is a ${notWith}`);
    }
    if (onlyWith === undefined || kinds.length === 0 || kinds.some(({ kind }) => kind === onlyWith)) return [];
    const isCertain = kinds.every(({ isRead }) => isRead);
    return lost(`a field for it with a ${onlyWith} only`, isCertain ? "" : ` unless a file is a ${onlyWith}`);
  });
}
