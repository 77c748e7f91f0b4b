import fc from "fast-check";
import { test } from "vitest";
import { checkAddress } from "../src/media/address.ts";
import { Budget } from "../src/media/budget.ts";
import { createGuardedFetch } from "../src/media/guarded-fetch.ts";
import { ascii, serve, zeros } from "./media-files.ts";

test.for([
  "https://files.example.com/a.jpg",
  "https://files.example.com:8443/a.jpg",
  "https://8.8.8.8/a.jpg",
  "https://[2606:4700::1111]/a.jpg",
  "https://bücher.example/a.jpg",
])("%s may be asked", (address, { expect }) => {
  expect(checkAddress(address, false)).toBeNull();
});

// Those with combining marks take the parser minutes.
test.for(
  [
    "http://files.example.com/a.jpg",
    "ftp://files.example.com/a.jpg",
    "file:///etc/passwd",
    "data:text/plain,hi",
    "//files.example.com/a.jpg",
    "https://user:word@files.example.com/",
    "https://files.example.com:22/",
    "https://localhost/",
    "https://localhost./",
    "https://app.localhost/",
    "https://router/",
    "https://printer.local/",
    "https://db.internal./",
    "https://nas.home.arpa/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://10.1.2.3/",
    "https://172.31.0.1/",
    "https://192.168.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://１２７.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[ff02::1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:db8::1]/",
    "https://a..b/",
    "https://.a.example/",
    "https://a.example../",
    "https://localhost../",
    `https://${"a".repeat(64)}.example/`,
    `https://${"abc.".repeat(64)}example/`,
    `https:\\\\${"a\u0315\u0300".repeat(600_000)}.example/`,
    `ht\ntps:\n/\t/${"a\u0315\u0300".repeat(600_000)}.example/`,
  ].map((address) => [address.slice(0, 60), address] as const),
)("%s is never asked", async ([, address], { expect }) => {
  expect(checkAddress(address, false)).toMatch(/\.$/);
  const fetch = async () => {
    throw new Error("asked");
  };
  const read = createGuardedFetch({ allowLoopback: false, fetch });
  expect(await read(address, { maxBytes: 10, timeoutMs: 1000 })).toMatchObject({ kind: "refused" });
});

test("in development this machine may be asked, and no other private one", ({ expect }) => {
  for (const address of ["http://localhost:8788/a", "http://127.0.0.1:81/a", "https://[::1]:9/a"]) {
    expect(checkAddress(address, true)).toBeNull();
  }
  for (const address of ["http://files.example.com/", "http://10.0.0.1/", "https://192.168.0.1/", "http://0.0.0.0/"]) {
    expect(checkAddress(address, true)).not.toBeNull();
  }
});

test("any spelling of a private IPv4 address is refused", ({ expect }) => {
  const privates = fc.constantFrom([10, 0], [127, 0], [192, 168], [169, 254], [172, 16], [0, 0]);
  const spellings = fc.constantFrom(
    (value: number) => String(value),
    (value: number) => `0x${value.toString(16)}`,
    (value: number) => `0${value.toString(8)}`,
    (value: number) => [24, 16, 8, 0].map((shift) => `0x${((value >>> shift) & 255).toString(16)}`).join("."),
    (value: number) => `[::ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`,
  );
  fc.assert(
    fc.property(privates, fc.nat(0xffff), spellings, ([a = 0, b = 0], rest, spell) => {
      const value = a * 2 ** 24 + b * 2 ** 16 + rest;
      expect(checkAddress(`https://${spell(value)}/`, false)).not.toBeNull();
    }),
  );
});

test("a redirect is followed three times, and never to where we would not ask", async ({ expect }) => {
  const asked: string[] = [];
  const to = (targets: Readonly<Record<string, string>>) =>
    createGuardedFetch({
      allowLoopback: false,
      fetch: async (input) => {
        const address = String(input);
        asked.push(address);
        const location = targets[address];
        return location ? new Response(null, { status: 302, headers: { location } }) : new Response("here");
      },
    });
  const request = { maxBytes: 10, timeoutMs: 1000 };
  const good = to({ "https://a.example/": "/b", "https://a.example/b": "https://c.example/" });
  expect(await good("https://a.example/", request)).toMatchObject({ kind: "ok", status: 200 });
  const bad = to({ "https://a.example/": "https://169.254.169.254/" });
  expect(await bad("https://a.example/", request)).toMatchObject({ kind: "refused" });
  const endless = to({ "https://a.example/": "https://a.example/" });
  asked.length = 0;
  expect(await endless("https://a.example/", request)).toMatchObject({ kind: "failed" });
  expect(asked).toHaveLength(4);
});

test("a budget ends with the limit that is reached first, and says which", ({ expect }) => {
  let now = 1000;
  const all = new Budget({ bytes: 100, ms: 50 }, () => now);
  const one = all.within({ bytes: 60, ms: 200 });
  const other = all.within({ bytes: 60, ms: 20 });
  expect([one.bytesLeft, one.msLeft, one.spent]).toEqual([60, 50, null]);
  one.spend(30);
  expect([one.bytesLeft, other.bytesLeft, all.bytesLeft]).toEqual([30, 60, 70]);
  one.spend(40);
  expect(one.spent).toEqual({ what: "bytes", limits: { bytes: 60, ms: 200 } });
  expect([other.bytesLeft, other.spent]).toEqual([30, null]);
  now += 30;
  expect(other.spent).toEqual({ what: "time", limits: { bytes: 60, ms: 20 } });
  expect(all.spent).toBeNull();
  now += 30;
  expect([all.msLeft, all.spent]).toEqual([0, { what: "time", limits: { bytes: 100, ms: 50 } }]);
  expect(all.within({ bytes: 9, ms: 9 }).spent).toEqual({ what: "time", limits: { bytes: 100, ms: 50 } });
});

test("nothing is asked with a budget that is used up", async ({ expect }) => {
  const { read, seen } = serve(zeros(1000));
  const budget = new Budget({ bytes: 0, ms: 1000 });
  expect(await read("https://a.example/", { maxBytes: 1000, timeoutMs: 1000, budget })).toMatchObject({
    kind: "spent",
  });
  expect(seen.requests).toBe(0);
});

test("time and size are bounded while the body streams", async ({ expect }) => {
  const drip = createGuardedFetch({
    allowLoopback: false,
    fetch: async () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(ascii("x")) })),
  });
  expect(await drip("https://a.example/", { maxBytes: 10, timeoutMs: 50 })).toMatchObject({ kind: "failed" });
  const { read, seen } = serve(zeros(1_000_000), { ranges: false, length: false });
  expect(await read("https://a.example/", { maxBytes: 1000, timeoutMs: 1000 })).toMatchObject({ kind: "too_large" });
  expect(seen.bytes).toBeLessThan(100_000);
});
