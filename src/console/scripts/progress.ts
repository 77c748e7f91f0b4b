/**
 * The part of a page with `data-poll` is renewed from that address until its work has ended. Without this
 * script, a button does that.
 */
const EVERY_MS = 3_000;
/** Ten minutes: longer than a generation takes. */
const MOST = 200;

async function poll(count: number): Promise<void> {
  const here = document.querySelector<HTMLElement>("[data-poll]");
  const address = here?.dataset.poll;
  if (!here || address === undefined || count > MOST) return;
  const answer = await fetch(address);
  if (answer.ok) {
    // Without its style, which has the nonce of another page.
    const html = (await answer.text()).replace(/<style.*?<\/style>/gs, "");
    const page = new DOMParser().parseFromString(html, "text/html");
    const there = page.getElementById(here.id);
    // An unchanged part keeps its focus.
    if (there && there.innerHTML !== here.innerHTML) here.replaceWith(there);
  }
  start(count + 1);
}

function start(count: number): void {
  setTimeout(() => {
    poll(count).catch(() => start(count + 1));
  }, EVERY_MS);
}

start(0);

export {};
