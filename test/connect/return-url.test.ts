import fc from "fast-check";
import { describe, test } from "vitest";
import { failureUrl, returnUrlProblem, successUrl } from "../../src/connect/return-url.ts";
import { runsOf } from "../contract/sample.ts";

const page = { id: 12, platform: "facebook", name: "Fern & Oak" } as const;
const second = { id: 13, platform: "facebook", name: "Harbour" } as const;
const tweets = { id: 20, platform: "twitter", name: "Acme" } as const;

describe("what may be a redirectUrl", () => {
  test.for([
    "https://app.example",
    "https://app.example/done?tab=1#channels",
    "http://localhost:3000/cb",
    "http://[::1]:3000/cb",
    "myapp://done",
    "myapp:done",
    "com.example.app:/oauth/done",
    "intent://done#Intent;scheme=myapp;end",
    "msauth.com.example.app://auth",
    "chromatic://done",
    "web+myapp://done",
    "https://münchen.example/ü",
  ])("%s is taken", (url, { expect }) => {
    expect(returnUrlProblem(url)).toBeNull();
  });

  test.for([
    ["", "absolute"],
    ["/done", "absolute"],
    ["//app.example/done", "absolute"],
    ["app.example/done", "absolute"],
    ["localhost:3000/done", "https://"],
    ["app.example:8443/done", "https://"],
    ["https://", "absolute"],
    ["https:app.example", "//"],
    ["javascript:alert(1)", "javascript"],
    ["JavaScript:alert(1)", "javascript"],
    [" javascript:alert(1)", "spaces"],
    ["java\nscript:alert(1)", "spaces"],
    ["data:text/html,x", "data"],
    ["vbscript:x", "vbscript"],
    ["blob:https://app.example/1", "blob"],
    ["file:///etc/passwd", "file"],
    ["about:blank", "about"],
    [
      "view-source:https://app.example/",
      "must not have the scheme view-source: use https, or the scheme of your own app.",
    ],
    ["View-Source:https://app.example/", "view-source"],
    ["filesystem:https://app.example/temporary/x.html", "filesystem"],
    ["ms-msdt:/id%20PCWDiagnostic", "ms-msdt"],
    ["MS-Settings:privacy", "ms-settings"],
    ["ms-officecmd:{}", "ms-officecmd"],
    ["search-ms:query=x", "search-ms"],
    ["microsoft-edge:https://app.example/", "microsoft-edge"],
    ["jar:https://app.example/a.jar!/x", "jar"],
    ["wyciwyg://0/https://app.example/", "wyciwyg"],
    ["chrome://settings/", "chrome"],
    ["chrome-extension://abc/x.html", "chrome-extension"],
    ["moz-extension://abc/x.html", "moz-extension"],
    ["resource://gre/", "resource"],
    ["content://com.example/1", "content"],
    ["livescript:x", "livescript"],
    ["https://app..example/", "empty part"],
    ["https://.app.example/", "empty part"],
    ["https://user@app.example/", "user name"],
    ["https://user:secret@app.example/", "user name"],
    ["myapp://user:secret@done", "user name"],
    ["https://app.example/a b", "spaces"],
  ] as const)("%s is refused", ([url, word], { expect }) => {
    expect(returnUrlProblem(url)).toContain(word);
  });
});

describe("the way back", () => {
  test("names the channel when it is exactly one", ({ expect }) => {
    expect(successUrl("https://app.example/done", "TOKEN", [page])).toBe(
      "https://app.example/done?channel_id=12&channel_ids=12&platform=facebook&status=success&connect_token=TOKEN",
    );
  });

  test("names the channels and each platform once when they are several", ({ expect }) => {
    expect(successUrl("myapp://done", "TOKEN", [page, second, tweets])).toBe(
      "myapp://done?channel_ids=12,13,20&platform=facebook,twitter&status=success&connect_token=TOKEN",
    );
  });

  test.for([
    ["https://app.example/done?a=1+2&b=%20#part", "https://app.example/done?a=1+2&b=%20&status=", "#part"],
    ["https://app.example/done?", "https://app.example/done?status=", ""],
    ["https://app.example/done?a&", "https://app.example/done?a&status=", ""],
    ["https://app.example#?x", "https://app.example/?status=", "#?x"],
    ["myapp:done", "myapp:done?status=", ""],
    ["com.example.app:/done?x=1#y", "com.example.app:/done?x=1&status=", "#y"],
  ] as const)("keeps the query and fragment of %s", ([url, start, end], { expect }) => {
    const result = failureUrl(url, "TOKEN", "Not & allowed");
    expect(result).toBe(`${start}failed&message=Not%20%26%20allowed&connect_token=TOKEN${end}`);
  });

  test("appends readable values and changes nothing else, whatever the address", ({ expect }) => {
    const address = fc.webUrl({ withQueryParameters: true, withFragments: true });
    fc.assert(
      fc.property(address, fc.string({ unit: "binary" }), (url, message) => {
        fc.pre(returnUrlProblem(url) === null);
        const before = new URL(url);
        const after = new URL(failureUrl(url, "TOKEN", message));
        expect(after.searchParams.getAll("message").at(-1)).toBe(message.toWellFormed());
        expect(after.search.startsWith(before.search)).toBe(true);
        expect([after.origin, after.pathname, after.hash]).toEqual([before.origin, before.pathname, before.hash]);
      }),
      { numRuns: runsOf(30) },
    );
  });
});
