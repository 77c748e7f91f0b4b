import { z } from "@hono/zod-openapi";
import { accessAs } from "../../acting/acting.ts";
import { requireAnswer, unavailable } from "../../acting/request-answer.ts";
import { type Channel, findActor } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { absent, invalid } from "../../core/errors.ts";
import type { ChannelId } from "../../core/ids.ts";
import { isoUtc, MINUTE, SECOND } from "../../core/time.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import { PRIVACY_LEVELS } from "../../platforms/options.ts";
import type { PostingOptions, Publishing } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Deps } from "../../service/deps.ts";

/**
 * What an account can choose when it posts now: for the page on which a person posts. The platform is called
 * at most about once a minute for each channel.
 */
const Options = z.object({
  name: z.string().nullable(),
  username: z.string().nullable(),
  pictureUrl: z.string().nullable(),
  privacyLevels: z.array(z.enum(PRIVACY_LEVELS)),
  comments: z.boolean(),
  duets: z.boolean(),
  stitches: z.boolean(),
  maxVideoSeconds: z.number().nullable(),
});

/** The options, or why the account cannot post now. */
const Answered = z.object({ options: Options.nullable(), reason: z.string().nullable(), readAt: z.number() });
type Answered = z.output<typeof Answered>;

const KEPT_MS = MINUTE;

type Read = NonNullable<Publishing["postingOptions"]>;

/**
 * Errors: `not_found`; 422 `unsupported_by_platform` where the choice does not depend on the account, and
 * `reconnect_needed`; `platform_unavailable`.
 */
export async function findPostingOptions(deps: Deps, { projectId }: Caller, id: ChannelId) {
  const actor = await findActor(deps.db, id);
  if (!actor || actor.channel.projectId !== projectId || actor.channel.disconnectedAt !== null) {
    throw absent("channel", id);
  }
  const { channel } = actor;
  const { postingOptions: read, disclosures } = findPlatform(channel.platform)?.posts ?? {};
  if (!read || !disclosures) {
    const sentence = `channel_id: on ${channel.platform} the choice does not depend on the account. /social/get-platforms lists the options.`;
    throw invalid({ channel_id: [sentence] }, "unsupported_by_platform");
  }
  const known = await readKept(deps, id);
  const answered = known ?? (await readFromPlatform(deps, actor, read));
  if (known === null) {
    await deps.kv.put(postingOptionsKey(id), JSON.stringify(answered), { expirationTtl: KEPT_MS / SECOND });
  }
  return { channel, disclosures, ...answered };
}

/** The KV key of a channel. */
export const postingOptionsKey = (id: ChannelId): string => `posting-options:${id}`;

async function readKept(deps: Deps, id: ChannelId): Promise<Answered | null> {
  const kept = Answered.safeParse(await deps.kv.get(postingOptionsKey(id), "json")).data;
  return kept && Date.now() - kept.readAt < KEPT_MS ? kept : null;
}

async function readFromPlatform(deps: Deps, actor: NonNullable<Awaited<ReturnType<typeof findActor>>>, read: Read) {
  const access = await accessAs(deps, actor, "publish");
  if (access.kind === "later") throw unavailable(access.reason, access.seconds);
  if (access.kind !== "ready") throw invalid({ channel_id: [`channel_id: ${access.reason}`] }, "reconnect_needed");
  const outcome = await read(access.context);
  const readAt = Date.now();
  // The platform says that the account cannot post now.
  if (outcome.kind === "failed" && outcome.code === "account_restricted") {
    return { options: null, reason: outcome.message, readAt };
  }
  return { options: toOptions(requireAnswer(outcome, "channel_id")), reason: null, readAt };
}

function toOptions({ kind: _, privacyLevels, ...options }: PostingOptions): z.output<typeof Options> {
  return { ...options, privacyLevels: [...privacyLevels] };
}

const Sentence = z.object({ text: z.string(), links: z.array(z.object({ label: z.string(), url: z.string() })) });

export const PostingOptionsView = z
  .object({
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    can_post: z.boolean(),
    reason: z.string().nullable().openapi({ description: "Why the account cannot post now; null if it can." }),
    name: z.string().nullable().openapi({ description: "Show it beside the button that posts." }),
    username: z.string().nullable(),
    picture_url: z.string().nullable().openapi({ description: "Valid for about two hours." }),
    privacy_levels: z
      .array(z.enum(PRIVACY_LEVELS))
      .openapi({ description: "Offer exactly these, with none preselected." }),
    comments: z.boolean().openapi({ description: "False: the account allows none. Offer it switched off." }),
    duets: z.boolean(),
    stitches: z.boolean(),
    max_video_seconds: z.number().nullable(),
    disclosures: z
      .object({
        own_brand: z.string().openapi({ description: "Shown when only `declared.own_brand` is chosen." }),
        paid_partnership: z.string().openapi({ description: "Shown when `declared.paid_partnership` is chosen." }),
        consent: Sentence.openapi({
          description:
            "Always shown before the button, with its links. Send `options.consent_given` when the person has agreed.",
        }),
        consent_to_paid_partnership: Sentence.openapi({ description: "Instead of it, for a paid partnership." }),
      })
      .openapi({ description: "The platform's sentences, word for word." }),
    read_at: z.string().openapi({ example: "2030-03-05T09:00:00.000+00:00" }),
  })
  .openapi("PostingOptions");

type Found = Answered & { readonly channel: Channel; readonly disclosures: NonNullable<Publishing["disclosures"]> };

export function toPostingOptionsView({ channel, disclosures, options, reason, readAt }: Found) {
  const sentence = ({ text, links }: (typeof disclosures)["consent"]) => ({
    text,
    links: links.map((link) => ({ ...link })),
  });
  return {
    channel_id: channel.id,
    channel_type: channel.platform,
    can_post: options !== null,
    reason,
    name: options?.name ?? channel.name,
    username: options?.username ?? channel.username,
    picture_url: options?.pictureUrl ?? null,
    privacy_levels: options?.privacyLevels ?? [],
    comments: options?.comments ?? false,
    duets: options?.duets ?? false,
    stitches: options?.stitches ?? false,
    max_video_seconds: options?.maxVideoSeconds ?? null,
    disclosures: {
      own_brand: disclosures.ownBrand,
      paid_partnership: disclosures.paidPartnership,
      consent: sentence(disclosures.consent),
      consent_to_paid_partnership: sentence(disclosures.paidConsent),
    },
    read_at: isoUtc(readAt),
  } satisfies z.output<typeof PostingOptionsView>;
}
