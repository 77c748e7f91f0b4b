import { load } from "cheerio";
import { Cookie, CookieJar } from "tough-cookie";

/**
 * A person's browser, as far as pages without scripts need one: cookies, redirects, forms. In workerd and in
 * Node.
 */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

export interface Field {
  readonly name: string;
  readonly value: string;
  /** Of an input; `written` for a text area, and for each selected option of a list. */
  readonly type: string;
  readonly checked: boolean;
  readonly disabled: boolean;
}

export interface Button {
  readonly name: string;
  readonly value: string;
}

export interface Form {
  readonly method: "GET" | "POST";
  /** Absolute. */
  readonly action: string;
  readonly fields: readonly Field[];
  readonly buttons: readonly Button[];
}

/** Whether a box is selected, or a field is sent at all; undefined leaves it unchanged. */
export type Change = (field: Field) => boolean | undefined;

export type Reach = (request: Request) => Promise<Response>;

const MAX_HOPS = 15;

/** Called before each redirect: false stops there, with the address that was not visited. */
export type Follow = (url: URL) => boolean;

export class Browser {
  readonly #reach: Reach;
  readonly #follow: Follow;
  readonly #cookies: CookieJar;

  constructor(reach: Reach, follow: Follow = () => true, cookies = new CookieJar()) {
    this.#reach = reach;
    this.#follow = follow;
    this.#cookies = cookies;
  }

  /** Another browser with the cookies that this one has now. */
  async copy(): Promise<Browser> {
    return new Browser(this.#reach, this.#follow, await this.#cookies.clone());
  }

  /** Opens an address and follows redirects; throws when there are too many. */
  async go(url: string, init: RequestInit = {}, follow = this.#follow): Promise<Page> {
    let next = url;
    let request: RequestInit = init;
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const response = await this.#send(next, request);
      const { status, headers } = response;
      const location = headers.get("Location");
      if (status < 300 || status >= 400 || location === null) {
        return { url: next, status, html: await response.text(), headers };
      }
      await response.body?.cancel();
      const target = new URL(location, next);
      if (!follow(target)) return { url: target.href, status, html: "", headers };
      next = target.href;
      request = {};
    }
    throw new Error(`Too many redirects at ${url}`);
  }

  /**
   * Sends the page's first form: its fields as they stand, but for `change`, and the button that is pressed.
   */
  submit(page: Page, change?: Change, button?: Button, follow = this.#follow): Promise<Page> {
    const [form] = formsOf(page);
    if (!form) throw new Error(`No form on ${page.url}: ${page.html.slice(0, 500)}`);
    return this.send(form, change, button, follow);
  }

  /** The same for any form. */
  send(form: Form, change: Change = () => undefined, button?: Button, follow = this.#follow): Promise<Page> {
    const body = new URLSearchParams();
    for (const field of form.fields) {
      if (!field.disabled && (change(field) ?? isSent(field))) body.append(field.name, field.value);
    }
    if (button) body.append(button.name, button.value);
    if (form.method === "POST") return this.go(form.action, { method: "POST", body }, follow);
    const target = new URL(form.action);
    target.search = body.toString();
    return this.go(target.href, {}, follow);
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Accept", "text/html");
    const cookies = await this.#cookies.getCookieString(url);
    if (cookies !== "") headers.set("Cookie", cookies);
    const response = await this.#reach(new Request(url, { ...init, headers, redirect: "manual" }));
    for (const line of response.headers.getSetCookie()) {
      const cookie = withDate(Cookie.parse(line));
      if (cookie) await this.#cookies.setCookie(cookie, url, { ignoreError: true });
    }
    return response;
  }
}

/**
 * Max-Age as the date that it means: the jar itself would count it from the cookie's last use, and by `new
 * Date()`, which the tests' clock does not move.
 */
function withDate(cookie: Cookie | undefined): Cookie | undefined {
  if (typeof cookie?.maxAge !== "number") return cookie;
  cookie.setExpires(new Date(Date.now() + cookie.maxAge * 1000));
  cookie.maxAge = null;
  return cookie;
}

/** The forms of a page, in order. */
export function formsOf({ html, url }: Pick<Page, "html" | "url">): Form[] {
  const $ = load(html);
  const formOf = (form: ReturnType<typeof $>): Form => ({
    method: form.attr("method")?.toUpperCase() === "POST" ? "POST" : "GET",
    action: new URL(form.attr("action") ?? url, url).href,
    fields: form
      .find("input[name]:not([type=submit]), select[name], textarea[name]")
      .toArray()
      .flatMap((field) => {
        const attributes = $(field).attr() ?? {};
        if ($(field).is("input")) return fieldOf(attributes);
        return [$(field).val() ?? []].flat().map((value) => fieldOf({ ...attributes, value, type: "written" }));
      }),
    buttons: form
      .find("button[name]")
      .toArray()
      .map((button) => $(button).attr() ?? {})
      .map(({ name = "", value = "" }) => ({ name, value })),
  });
  return $("form")
    .toArray()
    .map((form) => formOf($(form)));
}

/** The fields of all forms of a page. */
export const fieldsOf = (page: Pick<Page, "html" | "url">): Field[] =>
  formsOf(page).flatMap(({ fields }) => [...fields]);

function fieldOf(attributes: Readonly<Record<string, string>>): Field {
  const { name = "", value = "on", type = "text", checked, disabled } = attributes;
  return { name, value, type, checked: checked !== undefined, disabled: disabled !== undefined };
}

function isSent({ type, checked }: Field): boolean {
  return checked || (type !== "checkbox" && type !== "radio");
}
