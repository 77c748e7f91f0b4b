import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { bodyOf, factsOf, type Home, homeOn, media, NAMES, planFor } from "../contract/world.ts";
import { answering, quiet } from "../support/between.ts";

/**
 * Files as people have them, true ones and wrong ones, on every platform: what is reported before anything is
 * published. That the true ones which a platform takes go live there, the contract suite shows.
 */
afterEach(quiet);

const Refused = z.object({ message: z.string(), code: z.string(), errors: z.record(z.string(), z.array(z.string())) });

/**
 * What validate-post says of each of the platform's ways to post this one file; null where it would be taken.
 */
async function said(home: Home, url: string): Promise<(string | null)[]> {
  const name = home.channel.channel_type;
  const types = new Set(
    planFor(name)
      .shapes.filter(({ items }) => items.length === 1)
      .map(({ type }) => type),
  );
  const verdicts: (string | null)[] = [];
  for (const type of types) {
    const body = { ...bodyOf({ name: type, type, items: [[]] }, crypto.randomUUID()), media_urls: [url] };
    const answer = await home.project.call("POST", "/social/validate-post", {
      body: { ...home.channel, ...factsOf(name).required, ...body, publish_mode: "now" },
    });
    if (answer.status === 200) verdicts.push(null);
    else verdicts.push(Object.values(Refused.parse(answer.body).errors).flat().join(" "));
  }
  return verdicts;
}

/** A file elsewhere, served by what the test says. */
function served(respond: (request: Request) => Response): string {
  answering((request) => (new URL(request.url).host === "files.example.com" ? respond(request) : null));
  return "https://files.example.com/picture.jpg";
}

function endless(): Response {
  const chunk = new Uint8Array(65_536).fill(0xff);
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(chunk) });
  return new Response(body, { headers: { "content-type": "image/jpeg" } });
}

describe.for(NAMES)("on %s", (name) => {
  test.for([
    ["a page in a picture's place", () => media("page.jpg"), /page\.jpg is a web page/],
    ["plain text", () => media("notes.txt"), /notes\.txt is neither an image/],
    ["a video that ends in the middle", () => media("cut-off.mp4"), /cut-off\.mp4 .*(is cut off|has 59 KB)/],
    ["a download without end", () => served(endless), /picture\.jpg cannot be used: files over/],
    [
      "a redirect to a private address",
      () => served(() => Response.redirect("https://10.0.0.1/picture.jpg", 302)),
      /picture\.jpg: The address must be a public address/,
    ],
  ] as const)("%s is refused by every type, with its reason", async ([, url, sentence]) => {
    const home = await homeOn(name);
    for (const verdict of await said(home, url())) expect(verdict).toMatch(sentence);
  });

  test("a PNG whose name says JPEG is taken for what it is", async () => {
    const home = await homeOn(name);
    const [asNamed, asIs] = [await said(home, media("png-named.jpg")), await said(home, media("square.png"))];
    expect(asNamed.map((verdict) => verdict?.replaceAll("png-named.jpg", "square.png") ?? null)).toEqual(asIs);
  });
});
