import { PERMISSIONS, type Permission } from "../../core/permissions.ts";
import type { Visit } from "../definition.ts";
import { ChoiceList, FieldErrors, fieldValue, fieldValues, TextField } from "../parts.tsx";
import { PERMISSION_SETS, TASKS } from "./permission-sets.ts";

/** The fields of a form that gives a token: what it may do, and until when (new-token.ts). */

interface PermissionFields {
  readonly visit: Visit;
  /** Chosen at first. */
  readonly task: (typeof TASKS)[number];
  /** Others cannot be chosen. */
  readonly offered: readonly Permission[];
}

export function PermissionFields({ visit, task: initial, offered }: PermissionFields) {
  const { tokens: texts } = visit.texts;
  const task = fieldValue(visit, "task", initial);
  const chosen = fieldValues(visit, "permission") ?? (initial === "custom" ? offered : []);
  const isOffered = (value: (typeof TASKS)[number]) =>
    value === "custom" || PERMISSION_SETS[value].every((permission) => offered.includes(permission));
  return (
    <fieldset class="field">
      <legend>{texts.fields.permissions}</legend>
      <ChoiceList
        name="task"
        options={TASKS.filter(isOffered).map((value) => ({ value, ...texts.tasks[value], shows: value }))}
        chosen={task}
      />
      <ChoiceList
        name="permission"
        options={PERMISSIONS.filter((value) => offered.includes(value)).map((value) => ({ value, title: value }))}
        chosen={chosen}
        isSmall
        only="custom"
      />
      <FieldErrors visit={visit} name="permission" />
      <FieldErrors visit={visit} name="task" />
    </fieldset>
  );
}

interface ExpiryFields {
  readonly visit: Visit;
  /** The first is chosen at first. */
  readonly expiries: readonly ("never" | "days" | "date")[];
  readonly days: number;
}

export function ExpiryFields({ visit, expiries, days }: ExpiryFields) {
  const { tokens: texts } = visit.texts;
  const expiry = fieldValue(visit, "expiry", expiries[0]);
  return (
    <>
      <fieldset class="field">
        <legend>{texts.fields.expiry}</legend>
        <ChoiceList
          name="expiry"
          options={expiries.map((value) => ({ value, title: texts.expiries[value], shows: value }))}
          chosen={expiry}
          isSmall
        />
        <FieldErrors visit={visit} name="expiry" />
      </fieldset>
      <TextField
        visit={visit}
        name="days"
        label={texts.days}
        type="number"
        value={String(days)}
        class="only days"
        input={{ min: 1, max: 3650 }}
      />
    </>
  );
}
