import type { Child } from "hono/jsx";

/** A form that filters a list: a plain GET, so the address of the filtered list can be shared. */
export function FilterForm(form: {
  readonly action: string;
  readonly label: string;
  readonly submit: string;
  /** The text of the link to the whole list; null on the whole list. */
  readonly clear?: string | null;
  readonly children: Child;
}) {
  const { action, label, submit, clear = null, children } = form;
  return (
    <form method="get" action={action} class="filters" aria-label={label}>
      <div class="row">
        {children}
        <button class="button" type="submit">
          {submit}
        </button>
        {clear !== null && (
          <a class="button" href={action}>
            {clear}
          </a>
        )}
      </div>
    </form>
  );
}

interface FilterSelect {
  readonly name: string;
  readonly label: string;
  /** The choice of no filter. */
  readonly all: string;
  readonly value: string | undefined;
  readonly children: readonly (readonly [string, string])[];
}

export function FilterSelect({ name, label, all, value = "", children }: FilterSelect) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{all}</option>
        {children.map(([key, title]) => (
          <option value={key} selected={key === value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

interface FilterInput {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly input?: Readonly<Record<string, string>>;
}

export function FilterInput({ name, label, value = "", input = {} }: FilterInput) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} value={value} {...input} />
    </div>
  );
}
