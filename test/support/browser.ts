/** A person's browser, as far as pages without scripts need one: cookies, redirects, forms. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

export interface Field {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  readonly checked: boolean;
  readonly disabled: boolean;
}

type Fetch = (request: Request) => Promise<Response>;

export class Browser {
  readonly #fetch: Fetch;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** Follows redirects while `follow` says so; stops at a page, or before an address of another application. */
  async go(url: string, init: RequestInit = {}, follow: (url: URL) => boolean = isOurs): Promise<Page> {
    let next = url;
    let request: RequestInit = init;
    for (let hop = 0; hop < 15; hop++) {
      const response = await this.#send(next, request);
      const location = response.headers.get("Location");
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { url: next, status: response.status, html: await response.text(), headers: response.headers };
      }
      await response.body?.cancel();
      const target = new URL(location, next);
      if (!follow(target)) return { url: target.href, status: response.status, html: "", headers: response.headers };
      next = target.href;
      request = {};
    }
    throw new Error(`Too many redirects at ${url}`);
  }

  /** Submits the page's form: its fields as they stand, changed by `change`, and one of its buttons. */
  async submit(
    page: Page,
    change: (field: Field) => boolean | undefined,
    button?: Record<string, string>,
  ): Promise<Page> {
    const form = /<form\b[^>]*>[\s\S]*?<\/form>/i.exec(page.html)?.[0];
    if (!form) throw new Error(`No form on ${page.url}: ${page.html.slice(0, 500)}`);
    const action = attribute(form, "action") ?? page.url;
    const body = new URLSearchParams();
    for (const field of fieldsOf(form)) {
      if (field.disabled) continue;
      const isChoice = field.type === "checkbox" || field.type === "radio";
      const wanted = change(field) ?? (isChoice ? field.checked : true);
      if (wanted) body.append(field.name, field.value);
    }
    for (const [name, value] of Object.entries(button ?? {})) body.append(name, value);
    return this.go(new URL(action, page.url).href, { method: "POST", body });
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set("Cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await this.#fetch(new Request(url, { ...init, headers, redirect: "manual" }));
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      jar.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
    }
    return response;
  }
}

export function fieldsOf(form: string): Field[] {
  return Array.from(form.matchAll(/<input\b[^>]*>/gi), ([tag]) => ({
    name: attribute(tag, "name") ?? "",
    value: attribute(tag, "value") ?? "on",
    type: attribute(tag, "type") ?? "text",
    checked: /\schecked\b/i.test(tag),
    disabled: /\sdisabled\b/i.test(tag),
  })).filter((field) => field.name !== "" && field.type !== "submit");
}

function attribute(tag: string, name: string): string | null {
  const match = new RegExp(`\\s${name}="([^"]*)"`, "i").exec(tag);
  return match?.[1] === undefined ? null : unescapeHtml(match[1]);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function isOurs(url: URL): boolean {
  return url.host === "belfry.test" || url.host === "sandbox.test";
}
