import { z } from "@hono/zod-openapi";
import type { Warning } from "../../core/checks.ts";
import { filledText } from "../../core/text-field.ts";
import { factsOf } from "../../platforms/facts.ts";
import type { PostType } from "../../platforms/names.ts";
import {
  OPTIONS,
  type Option,
  OWN_OPTIONS,
  type OwnOption,
  type PostOptions,
  PRIVACY_LEVELS,
} from "../../platforms/options.ts";
import type { PlatformFacts } from "../../platforms/platform-facts.ts";
import { carried, notCarried, type OfAccount } from "./carried-fields.ts";
import type { FileKind } from "./file-kinds.ts";
import { MAX_FILES } from "./text-fields.ts";

/** `options` of create-post: how the post is published, where the platform lets the caller choose. */
const options = {
  privacy_level: z.enum(PRIVACY_LEVELS).optional().openapi({
    description:
      "TikTok: who may see the post, one of the levels that posting-options returns for the account. With it, comments, duets and stitches are off unless requested.",
  }),
  comments: z.boolean().optional().openapi({ description: "TikTok: whether others may comment." }),
  duets: z.boolean().optional().openapi({ description: "TikTok: whether others may make duets with the video." }),
  stitches: z.boolean().optional().openapi({ description: "TikTok: whether others may use parts of the video." }),
  title: filledText(255).optional().openapi({
    description:
      "TikTok: shown above the description of pictures, at most 90 characters. Facebook and LinkedIn: the title of the video. LinkedIn: the title of the document; without one, that of the media library, or the name of the file.",
    example: "Fresh rolls",
  }),
  document: z.boolean().optional().openapi({
    description: "LinkedIn: the pictures become the pages of one PDF, in their order, which is posted as a document.",
  }),
  cover_url: z.string().min(1).max(2048).optional().openapi({
    description:
      "YouTube, Facebook, Instagram and LinkedIn: the address of the picture that is the cover of the video; TikTok takes a frame only (`cover_ms`). YouTube and Facebook get it when the video is live; a refusal does not fail the post, and stands in its timeline.",
    example: "https://cdn.example.com/cover.jpg",
  }),
  cover_ms: z
    .int()
    .min(0)
    .optional()
    .openapi({ description: "Instagram and TikTok: the frame that is the cover of the video, in milliseconds." }),
  cover_index: z
    .int()
    .min(0)
    .max(MAX_FILES - 1)
    .optional()
    .openapi({ description: "TikTok: the picture that is the cover, by its position from 0." }),
  collaborators: z
    .array(z.string().regex(/^[A-Za-z0-9._]{1,30}$/, "must be a user name without @"))
    .min(1)
    .max(3)
    .optional()
    .openapi({
      description:
        "Instagram: user names that are invited as authors of the post. Facebook: the numbers of Pages, invited once the reel is live.",
      example: ["fernandoak"],
    }),
  location_id: z
    .string()
    .regex(
      /^[\da-f]{1,32}$/,
      "must be the number of a Facebook Page with a location, or the id of a place at Threads or X",
    )
    .optional()
    .openapi({
      description:
        "Instagram and Facebook: the id of a Facebook Page that has a location. Threads: the id of a place of its location search. X: the id of a place, which X ignores unless the account shares its location.",
      example: "104000000000001",
    }),
  playlist_id: z
    .string()
    .regex(/^[\w-]{2,64}$/, "must be the id of a playlist")
    .optional()
    .openapi({
      description:
        "YouTube: the id of a playlist of the channel. The video is added once it is live; a refusal does not fail the post, and stands in its timeline.",
      example: "PLBCF2DAC6FFB574DE",
    }),
  languages: z
    .array(z.string().regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, "must be a language tag such as en or pt-BR"))
    .min(1)
    .max(3)
    .optional()
    .openapi({ description: "Bluesky: the languages of the texts, which readers filter by.", example: ["en"] }),
  consent_given: z.boolean().optional().openapi({
    description:
      "TikTok: true if the person agreed to the sentence that posting-options returns, for this post. It is kept with the post, and not sent; false is refused.",
  }),
  fit: z.enum(["strict"]).optional().openapi({
    description:
      "A file that a platform does not take as it is gets a copy that fits: validate-post shows it in `items[].fitted`, the timeline in `post.fitted`. With `strict` such a file is refused, and no copy is made.",
  }),
} as const satisfies Record<Option | OwnOption, z.ZodType>;

const DESCRIPTION =
  "How the post is published. `/social/get-platforms` lists the options of each kind of post; others are left out with a warning.";
const EXAMPLE = { privacy_level: "PUBLIC_TO_EVERYONE", comments: true } as const;

export const OptionsBody = z.object(options).openapi("PostOptions", { description: DESCRIPTION, example: EXAMPLE });
/** Of update-post: names that do not exist are refused. */
export const NewOptions = z
  .strictObject(options)
  .nullable()
  .openapi({ description: `${DESCRIPTION} Replaces all earlier ones; null withdraws them.`, example: EXAMPLE });

export const OptionsView = z.object(options).nullable().openapi({ description: "Null for none." });

interface OptionShape {
  readonly takes: string;
  /** Null: any value of the type. */
  readonly values: readonly string[] | null;
}
const any = (takes: string): OptionShape => ({ takes, values: null });

/** What each option takes, for `/social/get-platforms`. */
export const OPTION_SHAPES: Readonly<Record<Option, OptionShape>> = {
  privacy_level: { takes: "string", values: PRIVACY_LEVELS },
  comments: any("boolean"),
  duets: any("boolean"),
  stitches: any("boolean"),
  title: any("string"),
  document: any("boolean"),
  cover_url: any("string"),
  cover_ms: any("integer"),
  cover_index: any("integer"),
  collaborators: any("array of strings"),
  location_id: any("string"),
  playlist_id: any("string"),
  languages: any("array of strings"),
  consent_given: any("boolean"),
};

/** The options in the order of their names; null for none. */
export function toOptionsView(chosen: PostOptions): z.output<typeof OptionsView> {
  const given = [...OPTIONS, ...OWN_OPTIONS].filter((name) => chosen[name] !== undefined);
  if (given.length === 0) return null;
  return Object.fromEntries(given.map((name) => [name, structuredClone(chosen[name])]));
}

const fieldsOf = ({ platform }: OfAccount) => factsOf(platform).options;

function insteadOf({ platform }: OfAccount) {
  const { optionsInstead = {} }: PlatformFacts = factsOf(platform);
  return (name: Option) => optionsInstead[name];
}

/** The options that such a post takes: those that are sent. */
export function sentOptions(chosen: PostOptions, channel: OfAccount, type: PostType): PostOptions {
  return carried(chosen, OPTIONS, { fields: fieldsOf(channel), channel, type });
}

/** The options that such a post does not take. */
export function optionsLeftOut(
  chosen: PostOptions,
  channel: OfAccount,
  type: PostType,
  kinds: readonly FileKind[],
): readonly Warning[] {
  const given = OPTIONS.filter((name) => chosen[name] !== undefined);
  return notCarried(
    given,
    { fields: fieldsOf(channel), channel, type, under: "options", insteadOf: insteadOf(channel) },
    kinds,
  );
}
