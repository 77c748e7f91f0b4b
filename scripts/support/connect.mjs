import { Browser } from "./browser.mjs";

const MAX_PAGES = 25;

/**
 * Connects accounts as a person would: opens the hosted page, ticks the platforms, allows everything on each platform's
 * consent page and ticks what it offers. `facebookPages` of the facebook pages are shared, from number `first` on, and the X
 * account of that number. Answers the session's final connect-status; throws the page's words when it goes no further.
 */
export async function connectAccounts(api, { platforms, facebookPages, first = 0 }) {
  const { connect_url: url, connect_token: token } = await api.connectChannel({ userId: "a-person" });
  const browser = new Browser();
  let page = await browser.open(url);
  for (let turn = 0; turn < MAX_PAGES; turn++) {
    const status = await api.connectStatus(token);
    if (status.connect_status !== "pending") return requireSuccess(status);
    const form = page.forms.find(({ method }) => method === "post");
    if (!form) break;
    const button = form.buttons.find(({ name, value }) => name === "decision" && value === "allow") ?? form.buttons[0];
    page = await browser.submit(page, form, { tick: createTicks({ platforms, facebookPages, first }), button });
  }
  throw new Error(`The connection stopped at ${new URL(page.url).origin} (${page.status}): "${page.title}".`);
}

/** What is ticked on the pages met: by the names of their boxes. */
function createTicks({ platforms, facebookPages, first }) {
  let pages = 0;
  let radios = 0;
  return ({ name, value, type, isBox }) => {
    if (!isBox) return undefined;
    if (type === "radio") return radios++ === first;
    if (name === "platform") return platforms.includes(value);
    if (name === "page") {
      const at = pages++;
      return at >= first && at < first + facebookPages;
    }
    return true;
  };
}

function requireSuccess(status) {
  if (status.connect_status === "success") return status;
  throw new Error(`The connection ended as ${status.connect_status}: ${status.message ?? "no reason given"}.`);
}
