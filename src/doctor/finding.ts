/** One line of the result of `npm run doctor`. */
export type Finding =
  | { readonly kind: "good"; readonly text: string }
  /** Acceptable as it is; optional to change. */
  | { readonly kind: "absent"; readonly text: string; readonly fix?: string }
  /** Nothing is wrong yet; `fix` is what to do before it is. */
  | { readonly kind: "soon"; readonly text: string; readonly fix: string }
  /** Only the user can check it. */
  | { readonly kind: "compare"; readonly text: string }
  | { readonly kind: "bad"; readonly text: string; readonly fix: string };

export const good = (text: string): Finding => ({ kind: "good", text });
export const absent = (text: string, fix?: string): Finding => ({
  kind: "absent",
  text,
  ...(fix === undefined ? {} : { fix }),
});
export const soon = (text: string, fix: string): Finding => ({ kind: "soon", text, fix });
export const compare = (text: string): Finding => ({ kind: "compare", text });
export const bad = (text: string, fix: string): Finding => ({ kind: "bad", text, fix });

export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export const countBad = (sections: readonly Section[]): number =>
  sections.flatMap(({ findings }) => findings).filter(({ kind }) => kind === "bad").length;
