import type { Child } from "hono/jsx";
import type { Visit } from "./definition.ts";
import { FieldErrors, fieldValue } from "./parts.tsx";

/** Fields of forms beside the text field of parts.tsx: a long text, and a choice from a list. */

interface TextArea {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly rows: number;
}

export function TextArea({ visit, name, label, hint, rows }: TextArea) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea id={name} name={name} rows={rows} aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
        {fieldValue(visit, name)}
      </textarea>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <FieldErrors visit={visit} name={name} />
    </div>
  );
}

interface Select {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly choices: readonly (readonly [string, Child])[];
}

export function Select({ visit, name, label, hint, choices }: Select) {
  const value = fieldValue(visit, name, choices[0]?.[0]);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {choices.map(([one, text]) => (
          <option value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}
