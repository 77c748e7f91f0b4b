import type { Visit } from "./definition.ts";
import { Confirm, Form } from "./parts.tsx";

/** Buttons that are whole forms. */

interface FormButton {
  readonly visit: Visit;
  readonly action: string;
  readonly text: string;
  /** Fields with fixed values. */
  readonly values?: Readonly<Record<string, string>>;
  /** Classes beside `button`. */
  readonly kind?: string;
}

/** A form of one button. */
export function FormButton({ visit, action, text, values = {}, kind = "" }: FormButton) {
  return (
    <Form visit={visit} action={action} inline>
      {Object.entries(values).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class={`button ${kind}`.trim()} type="submit">
        {text}
      </button>
    </Form>
  );
}

interface DeleteButton {
  readonly visit: Visit;
  readonly texts: { readonly remove: string; readonly removeTitle: string; readonly removeLead: string };
  /** Of the object. */
  readonly path: string;
}

/** Deletes the object of the page, after a question. */
export function DeleteButton({ visit, texts: { remove, removeTitle, removeLead }, path }: DeleteButton) {
  return (
    <Confirm
      visit={visit}
      id="delete"
      button={remove}
      title={removeTitle}
      lead={removeLead}
      action={`${path}/delete`}
    />
  );
}
