import type { CommentActName } from "../platforms/commenting.ts";

/** What can be done with a comment. */
export const ACT_KINDS = ["reply", "hide", "unhide", "like", "unlike", "delete"] as const;
export type ActKind = (typeof ACT_KINDS)[number];

export const ACT_STATES = ["waiting", "done", "failed", "cancelled"] as const;
export type ActState = (typeof ACT_STATES)[number];

/** The act of the adapter and the value that it sets; null for a reply. */
export const MODERATION = {
  reply: null,
  hide: { name: "hide", isOn: true },
  unhide: { name: "hide", isOn: false },
  like: { name: "like", isOn: true },
  unlike: { name: "like", isOn: false },
  delete: { name: "remove", isOn: true },
} as const satisfies Readonly<Record<ActKind, { readonly name: CommentActName; readonly isOn: boolean } | null>>;

/** A later act of one of these kinds takes the place of an earlier one that was not begun. */
export const REPLACED_BY: Readonly<Record<ActKind, readonly ActKind[]>> = {
  reply: ["delete"],
  hide: ["hide", "unhide", "delete"],
  unhide: ["hide", "unhide", "delete"],
  like: ["like", "unlike", "delete"],
  unlike: ["like", "unlike", "delete"],
  delete: [],
};

/** An act waits while an earlier one of these kinds is under way. */
export const AFTER: Readonly<Record<ActKind, readonly ActKind[]>> = {
  reply: ["reply"],
  hide: ["hide", "unhide", "reply"],
  unhide: ["hide", "unhide"],
  like: ["like", "unlike"],
  unlike: ["like", "unlike"],
  delete: [...ACT_KINDS],
};

/** No answer of a bot begins once one of these was requested. */
export const CLOSES: ReadonlySet<ActKind> = new Set(["hide", "delete"]);
