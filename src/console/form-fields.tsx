import type { Visit } from "./definition.ts";
import { FieldErrors, fieldValue } from "./parts.tsx";

/** Fields with more than one line or with a list of values. */

interface Field {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
}

export function TextArea({ visit, name, label, hint, value }: Field) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea id={name} name={name} rows={3} aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
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

export function Select({ visit, name, label, hint, value, options }: Select) {
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
