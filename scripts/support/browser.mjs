// A person's browser as far as pages without scripts need one: cookies, redirects, forms. Like real browsers it keeps
// cookies by host name, whatever the port.
const MAX_REDIRECTS = 15;

export class Browser {
  #cookies = [];

  async open(url, init = {}) {
    let address = new URL(url);
    let request = init;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await fetch(address, {
        ...request,
        headers: { ...request.headers, Accept: "text/html", ...this.#cookieHeader(address) },
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
      });
      this.#keepCookies(address, response);
      const location = response.headers.get("Location");
      if (response.status < 300 || response.status > 399 || location === null) {
        return pageOf(address.href, response.status, await response.text());
      }
      await response.body?.cancel();
      address = new URL(location, address);
      request = {};
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects from ${url}.`);
  }

  /** Sends a form as it stands; `tick(field)` answers true or false for boxes to change; `button` is the one pressed. */
  submit(page, form, { tick = () => undefined, button } = {}) {
    const body = new URLSearchParams();
    for (const field of form.fields) {
      if (field.disabled || !(tick(field) ?? field.isOn)) continue;
      body.append(field.name, field.value);
    }
    if (button?.name) body.append(button.name, button.value);
    const target = new URL(form.action ?? page.url, page.url);
    if (form.method === "post") return this.open(target.href, { method: "POST", body });
    target.search = body.toString();
    return this.open(target.href);
  }

  #cookieHeader({ hostname, pathname }) {
    const pairs = this.#cookies
      .filter((cookie) => cookie.hostname === hostname && covers(cookie.path, pathname))
      .map((cookie) => `${cookie.name}=${cookie.value}`);
    return pairs.length > 0 ? { Cookie: pairs.join("; ") } : {};
  }

  #keepCookies({ hostname }, response) {
    for (const line of response.headers.getSetCookie()) {
      const [pair, ...rest] = line.split(";").map((part) => part.trim());
      const attributes = new Map(
        rest.map((part) => [part.split("=")[0].toLowerCase(), part.slice(part.indexOf("=") + 1)]),
      );
      const name = pair.slice(0, pair.indexOf("="));
      const cookie = { hostname, name, value: pair.slice(name.length + 1), path: attributes.get("path") ?? "/" };
      const isSame = (other) => other.hostname === hostname && other.name === name && other.path === cookie.path;
      this.#cookies = this.#cookies.filter((other) => !isSame(other));
      if (attributes.get("max-age") !== "0") this.#cookies.push(cookie);
    }
  }
}

function pageOf(url, status, html) {
  const forms = Array.from(html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi), ([, tag, inner]) => ({
    method: (attribute(tag, "method") ?? "get").toLowerCase(),
    action: attribute(tag, "action"),
    fields: Array.from(inner.matchAll(/<input\b([^>]*)>/gi), ([, input]) => fieldOf(input)).filter(({ name }) => name),
    buttons: Array.from(inner.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/gi), ([, button, label]) => ({
      name: attribute(button, "name"),
      value: attribute(button, "value") ?? "",
      label: textOf(label),
    })),
  }));
  return { url, status, html, forms, title: textOf(/<h1\b[^>]*>([\s\S]*?)<\/h1>/i.exec(html)?.[1] ?? "") };
}

function fieldOf(tag) {
  const type = (attribute(tag, "type") ?? "text").toLowerCase();
  const isBox = type === "checkbox" || type === "radio";
  return {
    name: attribute(tag, "name"),
    value: attribute(tag, "value") ?? (isBox ? "on" : ""),
    type,
    isBox,
    isOn: isBox ? hasFlag(tag, "checked") : type !== "submit",
    disabled: hasFlag(tag, "disabled"),
  };
}

const covers = (path, pathname) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
const hasFlag = (tag, name) => new RegExp(`\\s${name}(?=[\\s=/>]|$)`, "i").test(tag);

function attribute(tag, name) {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(` ${tag}`);
  return value === null ? null : unescapeHtml(value[1] ?? value[2]);
}

const textOf = (html) =>
  unescapeHtml(
    html
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );

const ENTITIES = { "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": " " };

function unescapeHtml(text) {
  return text.replace(/&(?:quot|#39|lt|gt|amp|nbsp);/g, (entity) => ENTITIES[entity]);
}
