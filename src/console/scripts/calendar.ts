/**
 * Posts of the calendar move by pointer and by keyboard. A move fills the form of the post and sends it; the
 * time of day stays as it is. Pointer events serve mouse, pen and finger; a finger holds first, as a swipe
 * scrolls.
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

function sayMoving(date: string): void {
  const names = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeZone: "UTC" });
  say((list?.dataset.moving ?? "").replace("{day}", names.format(Date.parse(date))));
}

/** Shows days without posts too, and keeps the chip where it is on the screen. */
function showAllDays(chip: HTMLElement, isMoving: boolean): void {
  const { top } = chip.getBoundingClientRect();
  list?.classList.toggle("moving", isMoving);
  scrollBy(0, chip.getBoundingClientRect().top - top);
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
    showAllDays(chip, true);
    dayOf(next)?.append(chip);
    chip.focus();
    sayMoving(next);
  } else if (event.key === "Enter" && chip.dataset.target !== undefined) {
    event.preventDefault();
    send(chip, target);
  } else if (event.key === "Escape" && chip.dataset.target !== undefined) {
    delete chip.dataset.target;
    dayOf(input.defaultValue)?.append(chip);
    showAllDays(chip, false);
    chip.focus();
    say(list?.dataset.cancelled ?? "");
  }
}

const HOLD_MS = 350;
const MOUSE_PX = 6;
const FINGER_PX = 10;
const EDGE_PX = 60;
const SCROLL_PX = 14;

interface Drag {
  readonly chip: HTMLElement;
  readonly pointer: number;
  readonly x: number;
  readonly y: number;
  readonly hold: number | undefined;
  /** Follows the pointer; null until the chip has been picked up. */
  ghost: HTMLElement | null;
  day: HTMLElement | null;
}
let drag: Drag | null = null;

function pick(one: Drag): void {
  showAllDays(one.chip, true);
  const { width } = one.chip.getBoundingClientRect();
  const ghost = document.createElement("div");
  ghost.className = `${one.chip.className} ghost`;
  ghost.textContent = one.chip.querySelector(".text")?.textContent ?? "";
  ghost.style.width = `${width}px`;
  document.body.append(ghost);
  one.chip.classList.add("moved");
  one.ghost = ghost;
  over(one, one.x, one.y);
}

function over(one: Drag, x: number, y: number): void {
  if (one.ghost) one.ghost.style.transform = `translate(${x + 8}px, ${y + 8}px)`;
  const [day = null] = document
    .elementsFromPoint(x, y)
    .flatMap((element) => (element instanceof HTMLElement && element.matches(".day") ? [element] : []));
  if (day !== one.day) {
    one.day?.classList.remove("target");
    day?.classList.add("target");
    if (day?.dataset.date !== undefined) sayMoving(day.dataset.date);
    one.day = day;
  }
  if (y < EDGE_PX) scrollBy(0, -SCROLL_PX);
  else if (y > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX);
}

/** Ends the drag; returns the day that it ended on, or null if nothing was picked up. */
function release(): HTMLElement | null {
  if (!drag) return null;
  const { ghost, day, chip, hold } = drag;
  drag = null;
  clearTimeout(hold);
  if (!ghost) return null;
  ghost.remove();
  day?.classList.remove("target");
  chip.classList.remove("moved");
  showAllDays(chip, false);
  // The click that follows would open the post.
  const stop = (event: Event) => event.preventDefault();
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }), 0);
  return day;
}

function onDown(chip: HTMLElement, event: PointerEvent): void {
  const isForm = event.target instanceof Element && event.target.closest("details") !== null;
  if (drag || event.button !== 0 || isForm) return;
  const isMouse = event.pointerType === "mouse";
  const start = { chip, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null, day: null };
  const hold = isMouse ? undefined : window.setTimeout(() => drag && pick(drag), HOLD_MS);
  drag = { ...start, hold };
}

addEventListener("pointermove", (event) => {
  if (drag?.pointer !== event.pointerId) return;
  const { clientX: x, clientY: y } = event;
  if (drag.ghost) return over(drag, x, y);
  const distance = Math.hypot(x - drag.x, y - drag.y);
  if (event.pointerType !== "mouse") {
    if (distance > FINGER_PX) release();
  } else if (distance > MOUSE_PX) {
    pick(drag);
    over(drag, x, y);
  }
});
addEventListener("pointerup", (event) => {
  if (drag?.pointer !== event.pointerId) return;
  const { chip } = drag;
  const date = release()?.dataset.date;
  if (date !== undefined) send(chip, date);
});
addEventListener("pointercancel", () => release());
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag?.ghost) {
    release();
    say(list?.dataset.cancelled ?? "");
  }
});
// Without these, the browser scrolls, opens its menu, or drags the link of the post instead.
addEventListener("touchmove", (event) => drag?.ghost && event.preventDefault(), { passive: false });
addEventListener("contextmenu", (event) => drag && drag.hold !== undefined && event.preventDefault());
addEventListener("dragstart", (event) => drag && event.preventDefault());

for (const chip of document.querySelectorAll<HTMLElement>(".chip[data-movable]")) {
  chip.addEventListener("keydown", (event) => onKey(chip, event));
  chip.addEventListener("pointerdown", (event) => onDown(chip, event));
  if (location.hash === `#${chip.id}`) chip.focus();
}

export {};
