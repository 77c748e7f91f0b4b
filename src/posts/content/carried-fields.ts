import type { Channel } from "../../channels/store.ts";
import { said, type Warning } from "../../core/checks.ts";
import { withArticle } from "../../core/sentences.ts";
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
  /** What the caller can do instead: a sentence, and the field that helps. */
  insteadOf(name: Name): Instead | undefined;
}

interface Instead {
  readonly use: string;
  readonly sentence: string;
}

type Lost = "left_out" | "left_out_with" | "left_out_if" | "left_out_without" | "left_out_unless";

/** The names that such a post does not carry, or may not carry: `kinds` of files that were not read. */
export function notCarried<Name extends string>(
  names: readonly Name[],
  { fields, channel, type, under, insteadOf }: Asked<Name>,
  kinds: readonly FileKind[],
): readonly Warning[] {
  const { platform, attributes } = channel;
  return names.flatMap((name) => {
    const field = postField(fields, name, type, attributes);
    const path = `${under}.${name}`;
    const { use, sentence } = insteadOf(name) ?? { use: "", sentence: "" };
    const lost = (kind: Lost, what: string, why: string, when = "") => {
      const message = `\`${path}\` is left out${when}: ${platform} has ${why}. ${sentence}`.trim();
      return [{ field: path, ...said(message, kind, what, platform, use) }];
    };
    if (field === null) return lost("left_out", type, `no field for it in a ${type} of this account`);
    const { onlyWith, orWith, notWith } = field;
    const unfit = kinds.filter(({ kind }) => kind === notWith);
    if (notWith !== undefined && unfit.length > 0) {
      const why = `no field for it with a ${notWith}`;
      const isCertain = unfit.some(({ isRead }) => isRead);
      return isCertain
        ? lost("left_out_with", notWith, why)
        : lost("left_out_if", notWith, why, ` if the file is a ${notWith}`);
    }
    if (
      onlyWith === undefined ||
      kinds.length === 0 ||
      kinds.some(({ kind }) => kind === onlyWith || (kind !== null && kind === orWith))
    )
      return [];
    const isCertain = kinds.every(({ isRead }) => isRead);
    const words = orWith === undefined ? onlyWith : `${onlyWith} or ${orWith}`;
    const why = `a field for it with ${withArticle(words)} only`;
    return isCertain
      ? lost("left_out_without", words, why)
      : lost("left_out_unless", words, why, ` unless a file is ${withArticle(words)}`);
  });
}
