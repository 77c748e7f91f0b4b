import type { Child } from "hono/jsx";
import { isoUtc } from "../core/time.ts";
import { Proof } from "../pages/layout.tsx";
import type { Visit } from "./definition.ts";
import { checkText } from "./fields.ts";
import { formKeyOf } from "./form-key.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Parts that the pages of the console share. */

interface Top {
  readonly title: string;
  readonly lead?: Child;
  /** A link or button at the side. */
  readonly children?: Child;
}

export function Top({ title, lead, children }: Top) {
  return (
    <div class="top">
      <div class="head">
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** The end of a form that has a page of its own: a button, and a link back. */
export function SubmitOrCancel(end: { readonly visit: Visit; readonly submit: string; readonly cancel: string }) {
  return (
    <div class="buttons">
      <button class="button first" type="submit">
        {end.submit}
      </button>
      <a class="button" href={end.cancel}>
        {end.visit.texts.form.cancel}
      </a>
    </div>
  );
}

/** A form of the console: a plain POST with its proof and its key (form-key.ts). */
export function Form(form: {
  readonly visit: Visit;
  readonly action: string;
  readonly inline?: boolean;
  /** Other attributes of the form. */
  readonly attributes?: Readonly<Record<string, string | boolean>>;
  /** Of the form that this one continues; without it, that of the form that is shown again. */
  readonly formKey?: string;
  readonly children: Child;
}) {
  return (
    <form method="post" action={form.action} class={form.inline ? "inline" : undefined} {...form.attributes}>
      <Proof proof={form.visit.proof} />
      <input type="hidden" name="key" value={form.formKey ?? formKeyOf(form.visit)} />
      {form.children}
    </form>
  );
}

/** What was wrong with the form as a whole, and what the last action reports. */
export function Notices({ visit }: { readonly visit: Visit }) {
  const { problem, errors } = visit.form;
  const isRefused = problem !== null || Object.keys(errors).length > 0;
  return (
    <>
      {isRefused && (
        <p class="note bad" role="alert">
          {problem ?? visit.texts.form.problem}
        </p>
      )}
      {visit.flash && visit.flash.secret === undefined && visit.flash.notice !== "" && (
        <p class="note good" role="status">
          {visit.flash.notice}
        </p>
      )}
    </>
  );
}

/** The value that a refused form had in this field, otherwise the one that is given. */
export function fieldValue({ form }: Visit, name: string, initial = ""): string {
  return form.fields[name]?.[0] ?? initial;
}

/** All values of the field; null on a page without a refused form. */
export function fieldValues({ form }: Visit, name: string): readonly string[] | null {
  return Object.keys(form.fields).length === 0 ? null : (form.fields[name] ?? []);
}

interface TextField {
  readonly visit: Visit;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "text" | "email" | "number" | "date" | "time" | "datetime-local";
  readonly value?: string;
  /** Other attributes of the input. */
  readonly input?: Readonly<Record<string, string | number | boolean>>;
  readonly class?: string;
}

export function TextField({ visit, name, label, hint, type = "text", value, input = {}, class: kind = "" }: TextField) {
  const errors = fieldErrors(visit, name);
  const described = [hint === undefined ? "" : `${name}-hint`, errors.length > 0 ? `${name}-error` : ""];
  return (
    <div class={`field ${kind}`}>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={fieldValue(visit, name, value)}
        aria-invalid={errors.length > 0 ? "true" : undefined}
        aria-describedby={described.join(" ").trim() || undefined}
        {...input}
      />
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <FieldErrors visit={visit} name={name} />
    </div>
  );
}

/** The problems of a field, and of the entries of its list. */
function fieldErrors({ form }: Visit, name: string): readonly string[] {
  const isOf = (field: string) =>
    field === name || (field.startsWith(`${name}.`) && /^\d+$/.test(field.slice(name.length + 1)));
  return Object.entries(form.errors).flatMap(([field, errors]) => (isOf(field) ? errors : []));
}

export function FieldErrors({ visit, name }: { readonly visit: Visit; readonly name: string }) {
  const errors = fieldErrors(visit, name);
  return errors.length === 0 ? null : (
    <p class="error" id={`${name}-error`}>
      {errors.map((message) => checkText(visit.texts, message) ?? message).join(" ")}
    </p>
  );
}

interface Choice {
  readonly type?: "radio" | "checkbox";
  readonly name: string;
  readonly value: string;
  readonly title: string;
  readonly about?: string;
  readonly isChecked: boolean;
  /** The part of the form that appears with this choice (style.ts). */
  readonly shows?: string | undefined;
  readonly isSmall?: boolean;
}

export function Choice({ type = "radio", name, value, title, about, isChecked, shows, isSmall }: Choice) {
  return (
    <label class={isSmall ? "choice small" : "choice"}>
      <input type={type} name={name} value={value} checked={isChecked} data-shows={shows} />
      <span class="what">
        <span class="name">{title}</span>
        {about !== undefined && <span class="about">{about}</span>}
      </span>
    </label>
  );
}

interface ChoiceList {
  readonly name: string;
  readonly options: readonly Pick<Choice, "value" | "title" | "about" | "shows">[];
  /** One value: exactly one may be chosen. Several: any number. */
  readonly chosen: string | readonly string[];
  readonly isSmall?: boolean;
  /** The choice with which the list appears; without it, always. */
  readonly only?: string;
}

export function ChoiceList({ name, options, chosen, isSmall = false, only }: ChoiceList) {
  const isOne = typeof chosen === "string";
  return (
    <div class={only === undefined ? "choices" : `only ${only} choices`}>
      {options.map((option) => (
        <Choice
          type={isOne ? "radio" : "checkbox"}
          name={name}
          {...option}
          isChecked={isOne ? chosen === option.value : chosen.includes(option.value)}
          isSmall={isSmall}
        />
      ))}
    </div>
  );
}

interface Confirm {
  readonly visit: Visit;
  /** Unique on the page. */
  readonly id: string;
  readonly button: string;
  readonly title: string;
  readonly lead: string;
  readonly action: string;
  /** Whether the action destroys nothing. */
  readonly isSafe?: boolean;
  /** Fields of the form. */
  readonly children?: Child;
}

/** A button that asks before a form is sent; the browser's own popover, without a script. */
export function Confirm({ visit, id, button, title, lead, action, isSafe = false, children }: Confirm) {
  const kind = isSafe ? "" : "bad";
  return (
    <>
      <button class={`button small ${kind}`} type="button" popovertarget={id}>
        {button}
      </button>
      <div id={id} popover="auto" role="dialog" aria-labelledby={`${id}-title`}>
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          <p>{lead}</p>
          <Form visit={visit} action={action}>
            {children}
            <div class="buttons">
              <button class={`button first ${kind}`} type="submit">
                {button}
              </button>
              <button class="button" type="button" popovertarget={id} popovertargetaction="hide">
                {visit.texts.form.cancel}
              </button>
            </div>
          </Form>
        </div>
      </div>
    </>
  );
}

export function Empty(empty: {
  readonly icon: IconName;
  readonly title: string;
  readonly lead: string;
  readonly children?: Child;
}) {
  return (
    <section class="card empty">
      <Icon name={empty.icon} />
      <div>
        <h2>{empty.title}</h2>
        <p class="lead">{empty.lead}</p>
      </div>
      {empty.children}
    </section>
  );
}

/** A text to copy. The button appears where scripts run (`COPY_SCRIPT`). */
export function Secret(secret: {
  readonly visit: Visit;
  readonly id: string;
  readonly label: string;
  readonly text: string;
}) {
  const { form } = secret.visit.texts;
  return (
    <div class="secret">
      <div class="label">
        <span>{secret.label}</span>
        <button class="button small" type="button" data-copy={secret.id} data-done={form.copied} hidden>
          {form.copy}
        </button>
      </div>
      <pre id={secret.id} class="mono">
        {secret.text}
      </pre>
    </div>
  );
}

/** A script of scripts/ that only this page needs; the page works without it. */
export function PageScript({ visit, name }: { readonly visit: Visit; readonly name: string }) {
  return <script src={`/console/scripts/${name}.js`} nonce={visit.nonce} defer />;
}

/** A time in this zone, with the exact one for programs. */
export function Time({ at, zone, visit }: { readonly at: number; readonly zone: string; readonly visit: Visit }) {
  const format = new Intl.DateTimeFormat(visit.language, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
  return <time datetime={isoUtc(at)}>{format.format(at)}</time>;
}

/** Copies a text. Without scripts there is no button, and a click selects the whole text. */
export const COPY_SCRIPT = `for(const b of document.querySelectorAll("[data-copy]")){b.hidden=false;b.addEventListener("click",async()=>{
await navigator.clipboard.writeText(document.getElementById(b.dataset.copy).textContent.trim());const t=b.textContent;b.textContent=b.dataset.done;
setTimeout(()=>{b.textContent=t},2000)})}`;
