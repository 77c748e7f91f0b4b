import { toChangeableView } from "../content/content-view.ts";
import { type Post, shownState } from "../store.ts";

/** Old and new values by field name. */
type Differences = Record<string, { from: unknown; to: unknown }>;

/** The changes to a post, for the response and its timeline. */
export interface Changes {
  /** The changed fields by their request names, in the order of the content view. */
  readonly fields: readonly string[];
  /** `{caption_text: {from, to}}`, and `STATUS` where that changed too. */
  readonly detail: { readonly changes: Differences };
}

export function changesOf(before: Post, after: Post): Changes {
  const [old, now] = [toChangeableView(before), toChangeableView(after)];
  const changed = differences(old, now);
  const states = differences({ STATUS: shownState(before) }, { STATUS: shownState(after) });
  return { fields: Object.keys(changed), detail: { changes: { ...states, ...changed } } };
}

/** The differences by name between two objects with the same names. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Differences {
  const found = Object.entries(before).flatMap(([name, from]) => {
    const to = after[name] ?? null;
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [[name, { from, to }] as const];
  });
  return Object.fromEntries(found);
}
