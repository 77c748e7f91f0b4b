import { markJpeg } from "../../media/jpeg-mark.ts";
import { Parts } from "../../media/parts.ts";
import { markPng } from "../../media/png-mark.ts";
import { markOf } from "../../media/xmp-packet.ts";
import {
  ANY_RATIO,
  type Area,
  isAllowed,
  largestArea,
  movedTo,
  pulled,
  type Ratios,
  ratiosOf,
  resized,
  SHAPES,
} from "../crop/area.ts";

/**
 * The dialog that chooses a part of a picture (crop/crop-dialog.tsx). The browser decodes the picture, turned
 * as its EXIF says, and encodes the part: a PNG stays one, others become a JPEG. The mark that says how the
 * picture was made goes with it. In a form of a post, the new file takes the place of the old one.
 */
const MAX_BYTES = 9 * 1024 * 1024;
/** Canvases of phones have no more. */
const MAX_PIXELS = 16_000_000;
const QUALITIES = [0.92, 0.8, 0.65] as const;
const STAGE = { width: 640, height: 420 } as const;
const RESULT_SIDE = 160;

interface Opened {
  readonly url: string;
  readonly original: Uint8Array<ArrayBuffer>;
  readonly mime: string;
  readonly picture: ImageBitmap;
  readonly allowed: Ratios;
  /** Has the focus once the dialog is closed. */
  opener: HTMLElement;
  area: Area;
  ratios: Ratios;
}
let opened: Opened | null = null;

const dialog = document.querySelector<HTMLDialogElement>("dialog.crop");
const find = <E extends Element>(selector: string): E | null => dialog?.querySelector<E>(selector) ?? null;
const [stage, result] = [find<HTMLCanvasElement>(".stage canvas"), find<HTMLCanvasElement>(".result canvas")];
const frame = find<HTMLElement>(".frame");
const shape = find<HTMLSelectElement>("select");
const form = find<HTMLFormElement>("form");
const problem = find<HTMLElement>("[role=alert]");

function say(text: string): void {
  if (!problem) return;
  problem.textContent = text;
  problem.hidden = text === "";
}

/** Pixels of the picture for one of the stage. */
const scaleOf = ({ picture }: Opened): number => {
  const shown = frame?.parentElement?.clientWidth ?? 0;
  return shown > 0 ? picture.width / shown : 1;
};

function show(one: Opened): void {
  const { area, picture } = one;
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  if (frame) {
    frame.style.left = percent(area.left, picture.width);
    frame.style.top = percent(area.top, picture.height);
    frame.style.width = percent(area.width, picture.width);
    frame.style.height = percent(area.height, picture.height);
  }
  for (const input of dialog?.querySelectorAll<HTMLInputElement>("[data-side]") ?? []) {
    const side = sideOf(input);
    const most = { left: picture.width - area.width, top: picture.height - area.height, ...sidesOf(picture) };
    input.max = String(most[side]);
    input.value = String(area[side]);
    input.setAttribute("aria-valuetext", `${area[side]} ${dialog?.dataset.pixels ?? ""}`);
  }
  const pixels = `${area.width} × ${area.height} ${dialog?.dataset.pixels ?? ""}`;
  const output = find<HTMLOutputElement>("output");
  if (output) output.value = pixels;
  const scale = RESULT_SIDE / Math.max(area.width, area.height);
  if (result) draw(result, one, { width: Math.ceil(area.width * scale), height: Math.ceil(area.height * scale) });
}

const sidesOf = ({ width, height }: ImageBitmap) => ({ width, height });
const SIDES = ["left", "top", "width", "height"] as const;
const sideOf = (input: HTMLInputElement) => SIDES.find((one) => one === input.dataset.side) ?? "left";

/** The part in these sides; a JPEG has no transparency. */
function draw(
  canvas: HTMLCanvasElement,
  { picture, area }: Opened,
  to: { width: number; height: number },
  fill = "",
): void {
  canvas.width = to.width;
  canvas.height = to.height;
  const context = canvas.getContext("2d");
  if (!context) return;
  if (fill !== "") {
    context.fillStyle = fill;
    context.fillRect(0, 0, to.width, to.height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, area.left, area.top, area.width, area.height, 0, 0, to.width, to.height);
}

async function open(button: HTMLElement): Promise<void> {
  const { crop: url = "", cropMin = "", cropMax = "" } = button.dataset;
  if (!dialog || url === "") return;
  say("");
  dialog.showModal();
  try {
    const answer = await fetch(new URL(url, location.href).pathname);
    if (!answer.ok) throw new Error(String(answer.status));
    const blob = await answer.blob();
    const picture = await createImageBitmap(blob, { imageOrientation: "from-image" });
    const allowed = { min: Number(cropMin) || ANY_RATIO.min, max: Number(cropMax) || ANY_RATIO.max };
    const original = new Uint8Array(await blob.arrayBuffer());
    const area = largestArea(picture, allowed);
    opened = { url, original, mime: blob.type, picture, allowed, ratios: allowed, area, opener: button };
    prepare(opened);
  } catch {
    opened = null;
    say(dialog.dataset.unreadable ?? "");
  }
}

function prepare(one: Opened): void {
  const { picture, allowed } = one;
  const scale = Math.min(1, STAGE.width / picture.width, STAGE.height / picture.height);
  if (stage) {
    stage.width = Math.max(1, Math.round(picture.width * scale));
    stage.height = Math.max(1, Math.round(picture.height * scale));
    stage.getContext("2d")?.drawImage(picture, 0, 0, stage.width, stage.height);
  }
  for (const option of shape?.options ?? []) {
    const isKnown = SHAPES.some((known) => known === option.value);
    option.hidden = isKnown && !isAllowed(option.value, allowed);
    option.disabled = option.hidden;
  }
  if (shape) shape.value = "";
  show(one);
}

function change(to: (one: Opened) => Area): void {
  if (!opened) return;
  opened.area = to(opened);
  show(opened);
}

shape?.addEventListener("change", () => {
  if (!opened) return;
  opened.ratios = ratiosOf(shape.value, opened.allowed);
  change(({ picture, ratios }) => largestArea(picture, ratios));
});

dialog?.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset.side === undefined) return;
  const [side, value] = [sideOf(target), Number(target.value)];
  change(({ picture, area, ratios }) => {
    if (side === "left" || side === "top") return movedTo(picture, area, { ...area, [side]: value });
    return resized(picture, area, ratios, { [side]: value });
  });
});

/** Where the pointer took hold: of a corner, or of the part itself. */
interface Held {
  readonly pointer: number;
  readonly corner: string | undefined;
  readonly from: Area;
  readonly x: number;
  readonly y: number;
}
let held: Held | null = null;

frame?.addEventListener("pointerdown", (event) => {
  if (!opened || !(event.target instanceof HTMLElement)) return;
  event.preventDefault();
  frame.setPointerCapture(event.pointerId);
  const { corner } = event.target.dataset;
  held = { pointer: event.pointerId, corner, from: opened.area, x: event.clientX, y: event.clientY };
});

// Otherwise the browser takes a quick pull for a scroll, and the next tap for its end.
frame?.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });

frame?.addEventListener("pointermove", (event) => {
  if (!held || held.pointer !== event.pointerId) return;
  const { corner, from, x, y } = held;
  change((one) => {
    const scale = scaleOf(one);
    const [dx, dy] = [(event.clientX - x) * scale, (event.clientY - y) * scale];
    const { picture, ratios } = one;
    if (corner === undefined) return movedTo(picture, from, { left: from.left + dx, top: from.top + dy });
    const [isLeft, isTop] = [corner.startsWith("l"), corner.endsWith("t")];
    const pull = {
      isLeft,
      isTop,
      x: from.left + (isLeft ? 0 : from.width) + dx,
      y: from.top + (isTop ? 0 : from.height) + dy,
    };
    return pulled(picture, from, ratios, pull);
  });
});

for (const end of ["pointerup", "pointercancel"] as const) {
  frame?.addEventListener(end, () => {
    held = null;
  });
}

const encoded = (canvas: HTMLCanvasElement, mime: string, quality?: number): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, mime, quality));

/** The part in the best quality that can be sent. */
async function encode(one: Opened): Promise<Blob> {
  const { area, mime } = one;
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (area.width * area.height)));
  const size = {
    width: Math.max(1, Math.floor(area.width * scale)),
    height: Math.max(1, Math.floor(area.height * scale)),
  };
  const canvas = document.createElement("canvas");
  if (mime === "image/png") {
    draw(canvas, one, size);
    const png = await encoded(canvas, mime);
    if (png && png.size <= MAX_BYTES) return png;
  }
  draw(canvas, one, size, "#fff");
  for (const quality of QUALITIES) {
    const jpeg = await encoded(canvas, "image/jpeg", quality);
    if (jpeg && jpeg.size <= MAX_BYTES) return jpeg;
  }
  throw new Error("The part has too many bytes.");
}

/** The part with the mark of the whole. */
async function marked(one: Opened): Promise<File> {
  const blob = await encode(one);
  const mark = markOf(one.original);
  const isPng = blob.type === "image/png";
  const withMark = isPng ? markPng : markJpeg;
  const bytes = mark && withMark(new Uint8Array(await blob.arrayBuffer()), mark, new Parts());
  return new File([bytes ?? blob], isPng ? "part.png" : "part.jpg", { type: blob.type });
}

/** The field with the address of the file in a form of a post; null on other pages. */
const fieldOf = ({ url }: Opened): HTMLInputElement | null =>
  [...document.querySelectorAll<HTMLInputElement>("input[name=media_url]")].find(({ value }) => value === url) ?? null;

async function save(one: Opened): Promise<void> {
  if (!dialog || !form) return;
  const field = fieldOf(one);
  const [name = ""] = (new URL(one.url, location.href).pathname.split("/").at(-1) ?? "").split(".");
  const body = new FormData(form);
  const { left, top, width, height } = one.area;
  body.set("area", [left, top, width, height].join(","));
  body.set("alt_text", field?.closest(".pair")?.querySelector<HTMLInputElement>("input[name=alt_text]")?.value ?? "");
  body.set("file", await marked(one));
  const action = `${dialog.dataset.library}/${name}/crop`;
  if (!field) {
    lead(form, action, body);
    return;
  }
  const answer = await fetch(action, { method: "POST", body });
  const page = new DOMParser().parseFromString((await answer.text()).replace(/<style.*?<\/style>/gs, ""), "text/html");
  const made = page.querySelector<HTMLImageElement>("img.shown")?.getAttribute("src");
  if (!answer.ok || !answer.redirected || !made) {
    say(page.querySelector("p.note.bad")?.textContent ?? dialog.dataset.failed ?? "");
    return;
  }
  field.value = made;
  for (const button of document.querySelectorAll<HTMLElement>("[data-crop]")) {
    if (button.dataset.crop === one.url) button.dataset.crop = made;
  }
  // The button may be part of a report that is renewed.
  one.opener = field;
  dialog.close();
  const done = document.getElementById("crop-done");
  if (done) done.textContent = dialog.dataset.replaced ?? "";
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Sends the form as a browser does: its answer is the next page. */
function lead(to: HTMLFormElement, action: string, values: FormData): void {
  to.action = action;
  for (const [name, value] of values) {
    const input = to.querySelector<HTMLInputElement>(`input[name=${name}]`) ?? document.createElement("input");
    input.name = name;
    input.hidden = true;
    if (value instanceof File) {
      const files = new DataTransfer();
      files.items.add(value);
      input.type = "file";
      input.files = files.files;
    } else input.value = value;
    to.append(input);
  }
  to.submit();
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = form.querySelector<HTMLButtonElement>("[type=submit]");
  if (!opened || !button || button.disabled) return;
  button.disabled = true;
  save(opened)
    .catch(() => say(dialog?.dataset.failed ?? ""))
    .finally(() => {
      button.disabled = false;
    });
});

dialog?.addEventListener("close", () => {
  opened?.picture.close();
  opened?.opener.focus();
  opened = null;
});

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  if (target.closest("[data-close]")) dialog?.close();
  const button = target.closest<HTMLElement>("[data-crop]");
  if (button) open(button).catch(() => undefined);
});

/** Parts of a page are renewed by other scripts, with buttons that are still hidden. */
function reveal(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-crop]")) button.hidden = false;
}
new MutationObserver(reveal).observe(document.body, { childList: true, subtree: true });
reveal();
