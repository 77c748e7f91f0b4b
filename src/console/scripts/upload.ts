/**
 * A chosen file is uploaded at once, with its progress; a large one in parts. The answer is the page with the
 * file among its media, or it leads to the page of the file. Without this script, the button of the form
 * uploads.
 */
const WHOLE_BYTES = 10 * 1024 * 1024;
const PART_BYTES = 16 * 1024 * 1024;

type Values = Readonly<Record<string, string | Blob>>;

/** The service receives few files at once: a refused one is sent again so often. */
const TRIES = 30;

interface Sent {
  readonly page: Document;
  readonly address: string;
}

/** Sends the form with these values instead of its file; returns the page of the answer, with its address. */
function send(form: HTMLFormElement, url: string, values: Values, onProgress: (bytes: number) => void): Promise<Sent> {
  const body = new FormData(form);
  body.delete("file");
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  return post(url, body, onProgress, TRIES);
}

function post(url: string, body: FormData, onProgress: (bytes: number) => void, tries: number): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded));
    request.addEventListener("load", () => {
      if (request.status === 429 && tries > 0) {
        const seconds = Number(request.getResponseHeader("Retry-After")) || 1;
        setTimeout(() => resolve(post(url, body, onProgress, tries - 1)), 1000 * seconds);
        return;
      }
      // Without its style, which has the nonce of another page.
      const html = request.responseText.replace(/<style.*?<\/style>/gs, "");
      resolve({ page: new DOMParser().parseFromString(html, "text/html"), address: request.responseURL });
    });
    request.addEventListener("error", reject);
    request.send(body);
  });
}

const idOn = (page: Document) => page.querySelector<HTMLInputElement>("input[name=upload_id]")?.value ?? "";

async function upload(input: HTMLInputElement, file: File): Promise<void> {
  const { form } = input;
  const url = input.dataset.upload;
  const bar = document.querySelector<HTMLProgressElement>("#media progress");
  if (!form || url === undefined) return;
  const show = (bytes: number) => {
    if (bar) bar.value = bytes / file.size;
  };
  if (bar) bar.hidden = false;
  const isWhole = file.size <= WHOLE_BYTES;
  const first = isWhole ? { file } : { upload_step: "begin", upload_bytes: String(file.size) };
  let answer = await send(form, url, first, isWhole ? show : () => undefined);
  if (!isWhole) {
    const id = idOn(answer.page);
    for (let start = 0, number = 1; id !== "" && start < file.size; start += PART_BYTES, number++) {
      const part = file.slice(start, start + PART_BYTES);
      const values = { upload_step: "part", upload_id: id, part_number: String(number), file: part };
      await send(form, url, values, (bytes) => show(start + bytes));
    }
    const last = { upload_step: "complete", upload_id: id, upload_name: file.name };
    if (id !== "") answer = await send(form, url, last, () => undefined);
  }
  const { page, address } = answer;
  if (address !== new URL(url, location.href).href) {
    location.assign(address);
    return;
  }
  const [here, there] = [document.getElementById("media"), page.getElementById("media")];
  if (here && there) here.replaceWith(there);
  const problem = page.querySelector("p.note.bad");
  if (problem) document.getElementById("media")?.prepend(problem);
}

document.addEventListener("change", (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement) || input.name !== "file") return;
  const [file] = input.files ?? [];
  if (file) upload(input, file).catch(() => input.form?.requestSubmit());
});

export {};
