import fc from "fast-check";
import { test } from "vitest";
import { checkAddress } from "../../src/media/address.ts";
import { Budget } from "../../src/media/budget.ts";
import { createGuardedFetch } from "../../src/media/guarded-fetch.ts";
import { ascii, serve, zeros } from "../support/media-files.ts";

test.for([
  "https://files.example.com/a.jpg",
  "https://files.example.com:8443/a.jpg",
  "https://8.8.8.8/a.jpg",
  "https://[2606:4700::1111]/a.jpg",
  "https://[2606:4700::5efe:808:808]/a.jpg",
  "https://0x08.8.8.8/a.jpg",
  "https://1.example/a.jpg",
  "https://0x7f.example.com/a.jpg",
  "https://bücher.example/a.jpg",
])("%s may be called", (address, { expect }) => {
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
    "https://a.example./",
    "https://a\u3002.example/",
    "https://a%2e%2eexample/",
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

test("an empty label is named as what is wrong, also behind a redirect", async ({ expect }) => {
  for (const host of ["example..com", ".example.com", "example.com.", "localhost.."]) {
    expect(checkAddress(`https://${host}/a.jpg`, true)).toContain(`The host name ${host} has an empty part`);
    const read = createGuardedFetch({
      allowLoopback: true,
      fetch: async () => new Response(null, { status: 302, headers: { location: `https://${host}/a.jpg` } }),
    });
    const answer = await read("https://files.example.com/a.jpg", { maxBytes: 10, timeoutMs: 1000 });
    expect(answer).toMatchObject({
      kind: "refused",
      problem: { kind: "address_refused", parts: [expect.stringContaining("empty part")] },
    });
  }
});

test("in development this machine may be called, and no other private one", ({ expect }) => {
  for (const address of ["http://localhost:8788/a", "http://127.0.0.1:81/a", "https://[::1]:9/a"]) {
    expect(checkAddress(address, true)).toBeNull();
  }
  for (const address of [
    "http://files.example.com/",
    "http://10.0.0.1/",
    "https://192.168.0.1/",
    "http://0.0.0.0/",
    "http://.localhost:8788/",
    "http://a..localhost:8788/",
    "http://localhost.:8788/",
  ]) {
    expect(checkAddress(address, true)).not.toBeNull();
  }
});

/** IANA's registries of special-purpose, multicast and reserved addresses, as [network, bits]. */
const SPECIAL_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["255.255.255.255", 32],
] as const;
const SPECIAL_V6 = [
  // Unspecified, loopback, and IPv4 addresses written as IPv6.
  ["0:0:0:0:0:0:0:0", 96],
  ["0:0:0:0:0:ffff:0:0", 96],
  ["0:0:0:0:ffff:0:0:0", 96],
  ["64:ff9b:0:0:0:0:0:0", 96],
  ["64:ff9b:1:0:0:0:0:0", 48],
  ["100:0:0:0:0:0:0:0", 64],
  ["100:0:0:1:0:0:0:0", 64],
  ["2001:0:0:0:0:0:0:0", 23],
  ["2001:db8:0:0:0:0:0:0", 32],
  ["2002:0:0:0:0:0:0:0", 16],
  ["2620:4f:8000:0:0:0:0:0", 48],
  ["3fff:0:0:0:0:0:0:0", 20],
  ["4000:0:0:0:0:0:0:0", 3],
  ["5f00:0:0:0:0:0:0:0", 16],
  ["fc00:0:0:0:0:0:0:0", 7],
  ["fe80:0:0:0:0:0:0:0", 10],
  ["fec0:0:0:0:0:0:0:0", 10],
  ["ff00:0:0:0:0:0:0:0", 8],
] as const;

const V4_SPELLINGS = [
  (value: number) => String(value),
  (value: number) => `0x${value.toString(16)}`,
  (value: number) => `0${value.toString(8)}`,
  (value: number) => v4Bytes(value).join("."),
  (value: number) => `${v4Bytes(value).join(".")}.`,
  (value: number) =>
    v4Bytes(value)
      .map((byte) => `0x${byte.toString(16)}`)
      .join("."),
  (value: number) => `0${(value >>> 24).toString(8)}.${value & 0xff_ffff}`,
] as const;
/** How IPv6 addresses carry an IPv4 address. */
const V6_WRAPPERS = [
  (hex: string) => `::${hex}`,
  (hex: string) => `::ffff:${hex}`,
  (hex: string) => `::ffff:0:${hex}`,
  (hex: string) => `64:ff9b::${hex}`,
  (hex: string) => `64:ff9b:1::${hex}`,
  (hex: string) => `2002:${hex}::1`,
  (hex: string) => `2001:0:${hex}::1`,
  (hex: string) => `2606:4700::5efe:${hex}`,
  (hex: string) => `2606:4700::200:5efe:${hex}`,
] as const;
const v4Bytes = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const v4Value = (text: string) => text.split(".").reduce((value, byte) => value * 256 + Number(byte), 0);
const hexOf = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

test("no spelling of a special IPv4 address is called, nor anything that wraps one", ({ expect }) => {
  for (const [network, bits] of SPECIAL_V4) {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }), (rest) => {
        const value = v4Value(network) + rest;
        const hosts = [
          ...V4_SPELLINGS.map((spell) => spell(value)),
          ...V6_WRAPPERS.map((wrap) => `[${wrap(hexOf(value))}]`),
          `[::ffff:${v4Bytes(value).join(".")}]`,
        ];
        for (const host of hosts) expect([host, checkAddress(`https://${host}/`, false)]).not.toContain(null);
      }),
      { numRuns: 30 },
    );
  }
});

test("no special IPv6 address is called", ({ expect }) => {
  for (const [network, bits] of SPECIAL_V6) {
    const groups = network.split(":").map((group) => Number.parseInt(group, 16));
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (noise) => {
        const free = (index: number) => Math.min(16, Math.max(0, (index + 1) * 16 - bits));
        const host = groups.map((group, index) => (group | ((noise[index] ?? 0) % 2 ** free(index))).toString(16));
        expect([host, checkAddress(`https://[${host.join(":")}]/`, false)]).not.toContain(null);
      }),
      { numRuns: 50 },
    );
  }
});

test.for([
  "1.0.0.0",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "203.0.114.0",
  "223.255.255.255",
  "[2000::]",
  "[2001:200::1]",
  "[2001:db7:ffff::]",
  "[2001:db9::]",
  "[2003::1]",
  "[2a00:1450:4001::200e]",
] as const)("%s, beside a special block, may be called", (host, { expect }) => {
  expect(checkAddress(`https://${host}/`, false)).toBeNull();
});

test("a redirect is followed three times, and never to a forbidden address", async ({ expect }) => {
  const requested: string[] = [];
  const to = (targets: Readonly<Record<string, string>>) =>
    createGuardedFetch({
      allowLoopback: false,
      fetch: async (input) => {
        const address = String(input);
        requested.push(address);
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
  requested.length = 0;
  expect(await endless("https://a.example/", request)).toMatchObject({ kind: "failed" });
  expect(requested).toHaveLength(4);
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

test("nothing is requested with a spent budget", async ({ expect }) => {
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
