/**
 * Posts of the calendar move by pointer and by keyboard. A move fills the form of the post and sends it; the
 * time of day stays as it is.
 */
const list = document.querySelector<HTMLElement>(".days");
const live = document.getElementById("moves");
const say = (text: string) => {
  if (live) live.textContent = text;
};
const dayOf = (date: string) => list?.querySelector<HTMLElement>(`[data-date="${date}"]`) ?? null;
const inputOf = (chip: HTMLElement) => chip.querySelector<HTMLInputElement>("input[name=date]");

function send(chip: HTMLElement, date: string): void {
  const input = inputOf(chip);
  if (!input?.form || input.defaultValue === date) return;
  input.value = date;
  input.form.requestSubmit();
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const DAY_MS = 86_400_000;
const toDate = (at: number) => new Date(at).toISOString().slice(0, 10);

function onKey(chip: HTMLElement, event: KeyboardEvent): void {
  const input = inputOf(chip);
  if (!input || event.target !== chip) return;
  const target = chip.dataset.target ?? input.defaultValue;
  const step = STEPS[event.key];
  if (step !== undefined) {
    event.preventDefault();
    const next = toDate(Date.parse(`${target}T00:00:00Z`) + step * DAY_MS);
    chip.dataset.target = next;
    dayOf(next)?.append(chip);
    chip.focus();
    const names = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeZone: "UTC" });
    say((list?.dataset.moving ?? "").replace("{day}", names.format(Date.parse(next))));
  } else if (event.key === "Enter" && chip.dataset.target !== undefined) {
    event.preventDefault();
    send(chip, target);
  } else if (event.key === "Escape" && chip.dataset.target !== undefined) {
    delete chip.dataset.target;
    dayOf(input.defaultValue)?.append(chip);
    chip.focus();
    say(list?.dataset.cancelled ?? "");
  }
}

for (const chip of document.querySelectorAll<HTMLElement>(".chip[draggable]")) {
  chip.addEventListener("keydown", (event) => onKey(chip, event));
  chip.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/plain", chip.id));
  if (location.hash === `#${chip.id}`) chip.focus();
}
for (const day of document.querySelectorAll<HTMLElement>(".day")) {
  day.addEventListener("dragover", (event) => event.preventDefault());
  day.addEventListener("drop", (event) => {
    event.preventDefault();
    const chip = document.getElementById(event.dataTransfer?.getData("text/plain") ?? "");
    if (chip?.classList.contains("chip")) send(chip, day.dataset.date ?? "");
  });
}

export {};
