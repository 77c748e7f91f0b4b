import { type ChannelState, selectChannel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { said } from "../../core/checks.ts";
import { AppError, invalidFields } from "../../core/errors.ts";
import { type ChannelId, idOf, type PostId } from "../../core/ids.ts";
import { type IdempotencyRecord, readTogether } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import type { OwnFiles } from "../content/file-kinds.ts";
import type { CreatePostBody } from "../schema.ts";
import { selectReservations, toReservations } from "../timetable/queue-store.ts";
import type { Reservation } from "../timetable/slots.ts";
import { requireOwnMedia, selectNamed } from "./named-files.ts";
import { selectUsage, toUsage, type Usage } from "./quota.ts";
import { captionHash, saidIn, selectRepeated } from "./repeated-caption.ts";

/** A body, and the hash of its texts. */
export interface Hashed<Body extends CreatePostBody = CreatePostBody> {
  readonly body: Body;
  readonly hash: string;
}

/** The body with its hash; a refused one stays as it is. */
export async function withHash<Body extends CreatePostBody>(body: Body | AppError): Promise<Hashed<Body> | AppError> {
  return body instanceof AppError ? body : { body, hash: await captionHash(saidIn(body)) };
}

export const isBody = <Body extends CreatePostBody>(body: Hashed<Body> | AppError): body is Hashed<Body> =>
  !(body instanceof AppError);

export interface Reading {
  readonly now: number;
  /** Whether posts will be written: their queues and the project's usage are read too. */
  readonly isWrite: boolean;
  readonly idempotency?: IdempotencyRecord | null;
  /** The post that is edited: it does not repeat itself. */
  readonly except?: PostId | undefined;
}

/** What bodies of create-post are checked against. */
export interface ReadFirst {
  readonly usage: Usage;
  readonly reservations: ReadonlyMap<ChannelId, readonly Reservation[]>;
  /** The channel, or the 422 of one that the project does not have. */
  channelOf(body: CreatePostBody): ChannelState;
  /** The project's files that the body names, or the 422 of others. */
  ownFilesOf(body: CreatePostBody): OwnFiles;
  /** The post of the last 24 hours with the same text, if any. */
  repeatedBy(hashed: Hashed): readonly { readonly id: PostId }[];
}

/** Equal for the same text on the same channel. */
export const textKey = ({ body, hash }: Hashed): string => `${body.channel_id} ${hash}`;

/**
 * The channels, their queues if needed, repeats, the project's usage, and the row of the Idempotency-Key: one
 * D1 call, however many bodies.
 */
export async function readFirst(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  bodies: readonly Hashed[],
  { now, isWrite, idempotency = null, except }: Reading,
): Promise<ReadFirst> {
  const { db } = deps;
  const channelIds = distinct(bodies.map(channelIdOf));
  const queueIds = distinct(bodies.filter(({ body }) => isWrite && isQueued(body)).map(channelIdOf));
  const texts = new Map(bodies.map((one) => [textKey(one), { channelId: channelIdOf(one), hash: one.hash }]));
  const own = except === undefined ? {} : { except };
  const { channels, reservations, repeated, counts, files, record } = await readTogether(db, {
    channels: channelIds.map((id) => selectChannel(db, { projectId, id })),
    reservations: queueIds.map((channelId) => selectReservations(db, { projectId, channelId }, now)),
    repeated: [...texts.values()].map((text) => selectRepeated(db, { projectId, ...text, ...own }, now)),
    counts: isWrite ? selectUsage(db, { projectId }) : null,
    files: selectNamed(db, projectId, ...bodies.map(({ body }) => body)),
    record: idempotency?.read ?? null,
  });
  idempotency?.check(record);
  const byId = new Map(channels.flat().map((channel) => [channel.id, channel]));
  const repeats = new Map([...texts.keys()].map((key, index) => [key, repeated[index] ?? []]));
  return {
    usage: toUsage(counts ?? []),
    reservations: new Map(queueIds.map((id, index) => [id, toReservations(reservations[index] ?? [])])),
    channelOf: (body) => requireChannel(byId.get(idOf<ChannelId>(body.channel_id)), body),
    ownFilesOf: (body) => requireOwnMedia(deps, body, files),
    repeatedBy: (hashed) => repeats.get(textKey(hashed)) ?? [],
  };
}

const channelIdOf = ({ body }: Hashed): ChannelId => idOf<ChannelId>(body.channel_id);

const isQueued = ({ publish_mode: mode }: CreatePostBody): boolean => mode === "queued" || mode === "share_next";

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

/** The channel of a body. Another project's channel is answered like an absent one. */
export function requireChannel(
  channel: ChannelState | undefined,
  { channel_id }: Pick<CreatePostBody, "channel_id">,
  field = "channel_id",
): ChannelState {
  if (channel) return channel;
  const sentence = `${field} must be a connected channel of this project, not ${channel_id}: get-channels lists them, connect-channel connects one.`;
  throw invalidFields([{ field, code: "reference_invalid", isAbsent: true, ...said(sentence, "no_channel") }]);
}
