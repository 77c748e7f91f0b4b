import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import type { Page } from "../support/browser.ts";
import { advance } from "../support/clock.ts";
import { begun, expectPage, MINUTES, start } from "../support/connecting.ts";
import { ascii, jpeg, PNG } from "../support/media-files.ts";
import { HANDLES, newBrowser, ORIGIN } from "../support/world.ts";
import { CONSOLE_URL, filled, formTo, newConsoleBrowser, type Owned, owned, proofOf } from "./console-browser.ts";

/** How the pages of a project's users look: set in the console, seen while connecting and approving. */

const pageOf = ({ browser, id }: Owned) => browser.go(`${CONSOLE_URL}/projects/${id}/branding`);

async function save(owner: Owned, values: Readonly<Record<string, string>>, answer = "save"): Promise<Page> {
  const form = filled(formTo(await pageOf(owner), "/branding"), values);
  return owner.browser.send(form, undefined, { name: "answer", value: answer });
}

async function upload({ browser, id }: Owned, bytes: Uint8Array<ArrayBuffer> | null): Promise<Page> {
  const body = new FormData();
  body.set("form", proofOf(await browser.go(`${CONSOLE_URL}/account`)));
  if (bytes) body.set("logo", new File([bytes], "logo.png"));
  return browser.go(`${CONSOLE_URL}/projects/${id}/branding/logo`, { method: "POST", body });
}

const ACME = { name: "Acme Social", color: "#1877F2", support: "help@acme.example", return_label: "Back to Acme" };
const problemOf = ({ html }: Page, name: string): string => load(html)(`#${name}-error`).text().trim();
const headOf = ({ html }: Page): string => load(html)(".brand").text().trim();

/** A PNG that declares this size; only its header is read. */
function picture(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(PNG);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

describe("a project's branding", () => {
  test("is on the connect page, and leads back with its label", async ({ expect }) => {
    const owner = await owned();
    expect((await save(owner, ACME)).html).toContain("The branding is saved.");
    expect((await upload(owner, picture(200, 80))).html).toContain("The logo is saved.");
    const connection = await start(owner.project, "myapp://done");
    const page = await newBrowser().go(connection.connect_url);
    expectPage(expect, page, 200, "<b>Acme Social</b> wants to publish for you");
    expect(headOf(page)).toBe("Acme Social");
    expect(page.html).toContain("<title>Connect your accounts · Acme Social</title>");
    expect(page.html).toContain('href="mailto:help@acme.example"');
    expect(page.html).toMatch(/href="myapp:\/\/done[^"]*"[^>]*>Back to Acme</);
    expect(page.html).toContain("--accent:#1877f2;--accent-ink:#000000");
    const policy = page.headers.get("Content-Security-Policy");
    expect(policy).toContain("img-src 'self' https:");
    const source = load(page.html)(".brand img").attr("src") ?? "";
    expect(source).toMatch(/^\/brand\/[0-9a-f]{32}\.png$/);
    const logo = await newBrowser().go(`${ORIGIN}${source}`);
    expect([logo.status, logo.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect(logo.headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
    expect(logo.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("is on every other page of connecting, also when the link has expired or is unknown", async ({ expect }) => {
    const owner = await owned();
    await save(owner, ACME);
    const connection = await start(owner.project, "myapp://done");
    const browser = newBrowser();
    await browser.go(connection.connect_url);
    const pages = [
      `${connection.connect_url}/accounts/facebook`,
      `${connection.connect_url}/other`,
      `${ORIGIN}/connect/callback/twitter?state=x`,
      `${ORIGIN}/connect/unknown`,
    ];
    for (const url of pages) expect([url, headOf(await browser.go(url))]).toEqual([url, "Acme Social"]);
    await advance(16 * MINUTES);
    const expired = await newBrowser().go(connection.connect_url);
    expectPage(expect, expired, 410, "This link has expired");
    expect(expired.html).toMatch(/href="myapp:\/\/done\?status=failed[^"]*"[^>]*>Back to Acme</);
    expect(headOf(await browser.go(`${ORIGIN}/connect/unknown`))).toBe("Acme Social");
    // Nothing names a project here.
    expect(headOf(await newBrowser().go(`${ORIGIN}/connect/unknown`))).toBe("Belfry");
  });

  test("names the support where an expired link leads nowhere", async ({ expect }) => {
    const owner = await owned();
    await save(owner, { ...ACME, support: "https://acme.example/help" });
    const connection = await start(owner.project);
    await advance(16 * MINUTES);
    const page = await newBrowser().go(connection.connect_url);
    expectPage(expect, page, 410, "go back to the app where you started");
    expect(page.html).toMatch(/contact <a href="https:\/\/acme.example\/help"/);
  });

  test("is on the page on which a client approves, with no menu for a member either", async ({ expect }) => {
    const owner = await owned();
    await save(owner, ACME);
    const [channelId = 0] = await owner.project.connect("twitter", [HANDLES.fern]);
    const body = { channel_type: "twitter", channel_id: channelId, caption_text: "Draft", media_urls: [] };
    const made = await owner.project.call("POST", "/social/propose-post", {
      body: { ...body, post_type: "post", publish_mode: "now" },
    });
    const { post_id: id } = z.object({ data: z.object({ post_id: z.number() }) }).parse(made.body).data;
    const link = await owner.project.call("POST", `/social/create-approval-link/${id}`, {});
    const { url } = z.object({ url: z.string() }).parse(link.body);
    for (const browser of [newConsoleBrowser(), owner.browser]) {
      const page = await browser.go(url);
      expect([page.status, headOf(page)]).toEqual([200, "Acme Social"]);
      expect(page.html).toContain("help@acme.example");
      expect(page.html).toContain("--accent:#1877f2");
      expect(load(page.html)("nav:not(.languages)").length).toBe(0);
    }
  });

  test("of another project is another's, and without any it is ours", async ({ expect }) => {
    const owner = await owned();
    await save(owner, ACME);
    const { connection, browser } = await begun();
    const page = await browser.go(connection.connect_url);
    expect(headOf(page)).toBe("Belfry");
    expect(page.html).not.toContain("Acme");
  });
});

describe("the form", () => {
  test.for([
    ["#ffff00", "light background: its contrast is 1.0:1"],
    ["#000080", "dark background: its contrast is 1.0:1"],
  ] as const)("refuses %s with the reason and a colour that passes", async ([color, words], { expect }) => {
    const owner = await owned();
    const refused = await save(owner, { ...ACME, color });
    expect(refused.status).toBe(422);
    expect(problemOf(refused, "color")).toContain(words);
    const nearest = /accepted is (#[0-9a-f]{6})/.exec(problemOf(refused, "color"))?.[1] ?? "";
    expect((await save(owner, { ...ACME, color: nearest })).html).toContain("The branding is saved.");
  });

  test("refuses other colours, support addresses and lines", async ({ expect }) => {
    const owner = await owned();
    const values = { name: "a\u0007", color: "red;}", support: "javascript:alert(1)", return_label: "x".repeat(41) };
    const refused = await save(owner, values);
    for (const name of Object.keys(values)) expect([name, problemOf(refused, name)]).not.toEqual([name, ""]);
    for (const support of ["http://acme.example", "https://me@acme.example", "help@"]) {
      expect([support, problemOf(await save(owner, { support }), "support")]).not.toEqual([support, ""]);
    }
  });

  test("previews without saving", async ({ expect }) => {
    const owner = await owned();
    const preview = await save(owner, ACME, "preview");
    expect(preview.status).toBe(200);
    expect(load(preview.html)(".look").length).toBe(2);
    expect(preview.html).toContain("Acme Social wants to publish for you.");
    expect(load(preview.html)("#name").attr("value")).toBe("Acme Social");
    expect((await pageOf(owner)).html).not.toContain("Acme");
  });

  test("takes pictures only, of a limited size, and removes them", async ({ expect }) => {
    const owner = await owned();
    const refusals = [
      [null, "Choose a picture."],
      [ascii("<svg xmlns='http://www.w3.org/2000/svg'/>"), "no PNG, JPEG or WebP"],
      [ascii("GIF89a\x40\x00\x40\x00"), "no PNG, JPEG or WebP"],
      [new Uint8Array(200_001), "larger than 200 kB"],
      [picture(31, 31), "smaller than 32"],
      [picture(2_001, 10), "more than 2,000"],
      [picture(0, 10), "damaged"],
    ] as const;
    for (const [bytes, words] of refusals) {
      const refused = await upload(owner, bytes);
      expect([refused.status, problemOf(refused, "logo")]).toEqual([422, expect.stringContaining(words)]);
    }
    const shown = await upload(owner, jpeg());
    const source = load(shown.html)(".brand img").first().attr("src") ?? "";
    expect(source).toMatch(/\.jpg$/);
    await owner.browser.send(formTo(shown, "/logo/remove"));
    expect((await newBrowser().go(`${ORIGIN}${source}`)).status).toBe(404);
  });
});
