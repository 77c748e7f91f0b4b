import { randomBase62 } from "../core/tokens.ts";

/**
 * The key of a form: each form has one (parts.tsx), and an action that creates something or acts outside gets
 * it. What the action does for a key it does once, however often the form is sent: a double click, or a
 * second attempt after a lost answer (once-for-form.ts).
 */
declare const KEY: unique symbol;
export type FormKey = string & { readonly [KEY]: true };

const KEY_LENGTH = 22;
const FORM_KEY = /^[0-9A-Za-z]{22}$/;
const isKey = (text: string): text is FormKey => FORM_KEY.test(text);

/** Base62 letters of the length are a key. */
const newKey = (): FormKey => randomBase62(KEY_LENGTH) as FormKey;

type Fields = Readonly<Record<string, readonly string[]>>;

const sentIn = (fields: Fields): string => fields.key?.[0] ?? "";

/** The key of the form: a new one, or the one of the form that is shown again. */
export function formKeyOf({ form }: { readonly form: { readonly fields: Fields } }): FormKey {
  const kept = sentIn(form.fields);
  return isKey(kept) ? kept : newKey();
}

/**
 * The key of a form that was sent; null if it is none. A program that sends none gets a new one for each
 * request.
 */
export function keyIn(fields: Fields): FormKey | null {
  const sent = sentIn(fields);
  if (sent === "") return newKey();
  return isKey(sent) ? sent : null;
}

/** Whether the form has a key of its own. */
export const hasKey = (fields: Fields): boolean => isKey(sentIn(fields));
