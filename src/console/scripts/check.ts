/**
 * Leaving a field of a form with `data-check` sends the form to that address, which checks it as the button
 * does, and shows the report of the answer.
 */
let latest = 0;

async function check(form: HTMLFormElement): Promise<void> {
  const mine = ++latest;
  const body = new FormData(form);
  body.delete("file");
  if (!body.has("channel")) return;
  const answer = await fetch(form.dataset.check ?? "", { method: "POST", body });
  // Without its style, which has the nonce of another page.
  const html = (await answer.text()).replace(/<style.*?<\/style>/gs, "");
  const page = new DOMParser().parseFromString(html, "text/html");
  const [here, there] = [document.getElementById("report"), page.getElementById("report")];
  // A later change has a later answer.
  if (mine === latest && here && there) here.replaceWith(there);
}

document.addEventListener("change", (event) => {
  const form = event.target instanceof Element ? event.target.closest<HTMLFormElement>("form[data-check]") : null;
  // The button still works.
  if (form) check(form).catch(() => undefined);
});

export {};
