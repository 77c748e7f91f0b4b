import type { Visit } from "./definition.ts";
import { FieldErrors, fieldValue } from "./parts.tsx";

/** Fields with more than one line or with a list of values. */

interface Field {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
}

interface TextArea extends Field {
  readonly rows?: number;
}

export function TextArea({ visit, name, label, hint, value, rows = 3 }: TextArea) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea id={name} name={name} rows={rows} aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
        {fieldValue(visit, name, value)}
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

interface Select extends Field {
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

/** Without a value, the first option is chosen. */
export function Select({ visit, name, label, hint, options, value = options[0]?.value }: Select) {
  const chosen = fieldValue(visit, name, value);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === chosen}>
            {option.text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <FieldErrors visit={visit} name={name} />
    </div>
  );
}
