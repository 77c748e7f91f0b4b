import type { ChannelId } from "../../core/ids.ts";
import type { Placement } from "./due-time.ts";
import type { Move, Reservation } from "./slots.ts";

/** A change of a channel's queue: the posts that move, and the number of posts that are new. */
export interface Room extends Pick<Placement, "channel" | "timetable" | "moves"> {
  readonly added: number;
}

interface Queue {
  readonly placement: Placement;
  /** The slots of stored posts as they were read. */
  readonly before: ReadonlyMap<number, number>;
  reservations: readonly Reservation[];
}

/**
 * The queues in which one request places several posts, each as if the posts before it were stored. A new
 * post has no id yet: until it is stored, its number in the request stands for it.
 */
export class QueuePlans {
  readonly #read: ReadonlyMap<ChannelId, readonly Reservation[]>;
  readonly #queues = new Map<ChannelId, Queue>();

  /** `read`: the reservations of the channels as they were read. */
  constructor(read: ReadonlyMap<ChannelId, readonly Reservation[]>) {
    this.#read = read;
  }

  /** The reservations of the channel with the posts that were added. */
  reservationsOf(channelId: ChannelId): readonly Reservation[] {
    return this.#queues.get(channelId)?.reservations ?? this.#read.get(channelId) ?? [];
  }

  /** Adds the post with this number at its place. */
  add(number: number, placement: Placement): void {
    const { channel, slot, moves } = placement;
    const read = this.#read.get(channel.id) ?? [];
    const before = new Map(read.map((reservation) => [reservation.id, reservation.slotAt]));
    const moved = new Map(moves.map(({ id, to }) => [id, to]));
    const kept = this.reservationsOf(channel.id).map((one) => ({ ...one, slotAt: moved.get(one.id) ?? one.slotAt }));
    const reservations = [...kept, { id: standIn(number), slotAt: slot, isQueued: true }];
    this.#queues.set(channel.id, { placement, before, reservations });
  }

  /** Where the post is after all posts were added. */
  placeOf(number: number, placement: Placement): Placement {
    const own = this.reservationsOf(placement.channel.id).find(({ id }) => id === standIn(number));
    return { ...placement, slot: own?.slotAt ?? placement.slot };
  }

  /** What makes room for all of them, by channel. */
  rooms(): readonly Room[] {
    return [...this.#queues.values()].map(({ placement: { channel, timetable }, before, reservations }) => {
      const moves = reservations.flatMap(({ id, slotAt }): Move[] => {
        const from = before.get(id);
        return from === undefined || from === slotAt ? [] : [{ id, from, to: slotAt }];
      });
      const added = reservations.filter(({ id }) => !before.has(id)).length;
      return { channel, timetable, moves, added };
    });
  }
}

/** Ids of stored posts are positive. */
const standIn = (number: number): number => -1 - number;
