import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo, calm, type Home, homeOn } from "../../contract/world.ts";
import { accountsOf } from "../../support/accounts.ts";
import { queuesIdle } from "../../support/queue.ts";
import { media, SANDBOX, sandbox } from "../../support/sandbox.ts";
import { type Bytes, uploaded, uploadFile } from "../../support/uploads.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Documents on LinkedIn from the front door to the feed: files of LibreOffice (test/media/corpus). */

const FILES = z.record(z.string(), z.string()).parse(
  import.meta.glob("../../media/corpus/*.{pdf,docx,pptx,doc,docm}", {
    eager: true,
    query: "?inline",
    import: "default",
  }),
);

function fileOf(name: string): Bytes {
  const [, base64 = ""] = /^data:[^,]*;base64,(.*)$/.exec(FILES[`../../media/corpus/${name}`] ?? "") ?? [];
  if (base64 === "") throw new Error(`${name} is not in the corpus.`);
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

const PAGE = "urn:li:organization:9001";
let page: Home;
let person = "";
beforeAll(async () => {
  person = (await accountsOf("linkedin")).find((id) => id.startsWith("urn:li:person:")) ?? "";
  page = await projectWith("linkedin", PAGE);
});
afterEach(calm);

const text = () => `A document ${crypto.randomUUID()}`;

async function publish(home: Home, body: Readonly<Record<string, unknown>>) {
  const caption = text();
  const id = await createPost(home.project, home.channel, { caption_text: caption, ...body });
  await queuesIdle();
  return { id, caption, post: await findPost(home.project, id), live: await sandbox.postsWith(caption) };
}

const validate = (home: Home, body: Readonly<Record<string, unknown>>) =>
  home.project.call("POST", "/social/validate-post", {
    body: { ...home.channel, post_type: "post", publish_mode: "now", caption_text: text(), ...body },
  });

test.for([
  ["report.pdf", "application/pdf", 3],
  ["slides.pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", 5],
  ["report.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 3],
  ["report.doc", "application/msword", null],
] as const)("%s is uploaded, published with a title, and arrives byte for byte", async ([name, mime, pages]) => {
  const file = fileOf(name);
  const stored = await uploaded(page.project, file);
  expect(stored).toMatchObject({ kind: "document", mime, bytes: file.byteLength, pages, width: null, height: null });
  const { post, live } = await publish(page, { media_urls: [stored.url], options: { title: "Prices of 2030" } });
  expect(post).toMatchObject({ STATUS: "published" });
  expect(live).toMatchObject([{ title: "Prices of 2030", media: [expect.stringContaining("/_blob/")] }]);
  const received = await fetchReceived(live[0]?.media[0] ?? "");
  expect(received).toEqual(file);
});

async function fetchReceived(path: string): Promise<Bytes> {
  const response = await env.SANDBOX.fetch(new URL(path, SANDBOX).href);
  return new Uint8Array(await response.arrayBuffer());
}

test("a document elsewhere is read there, and is called like its file", async () => {
  const { post, live } = await publish(page, { media_urls: [media("slides.pdf")], alt_texts: ["Five pages"] });
  expect(post).toMatchObject({ STATUS: "published" });
  expect(live).toMatchObject([{ title: "slides", alt_texts: ["Five pages"] }]);
});

test("without a title and a name, the title is that of the library, then the first line of the text", async () => {
  const { url } = await uploaded(page.project, fileOf("report.pdf"));
  const first = await publish(page, { media_urls: [url] });
  expect(first.live).toMatchObject([{ title: first.caption }]);
  const id = url.split("/").at(-1)?.split(".")[0] ?? "";
  await page.project.call("PUT", `/social/update-media/${id}`, { body: { title: "Our report" } });
  expect((await publish(page, { media_urls: [url] })).live).toMatchObject([{ title: "Our report" }]);
});

test("a person posts a document without being able to read whether it is ready", async () => {
  const home = await projectWith("linkedin", person);
  const { post, live } = await publish(home, { media_urls: [media("slides.pdf")] });
  expect(post).toMatchObject({ STATUS: "published" });
  expect(live).toHaveLength(1);
});

test("validate-post shows the pages, and warns of those that it cannot count", async () => {
  const { url } = await uploaded(page.project, fileOf("seven.pdf"));
  expect((await validate(page, { media_urls: [url] })).body).toMatchObject({
    status: true,
    items: [{ media: [{ kind: "document", mime: "application/pdf", pages: 7 }] }],
  });
  const word = await uploaded(page.project, fileOf("report.doc"));
  expect((await validate(page, { media_urls: [word.url] })).body).toMatchObject({
    warnings: [expect.stringContaining("could not be counted; the platform refuses more than 300")],
  });
});

describe("is refused before anything is sent", () => {
  const errors = async (home: Home, body: Readonly<Record<string, unknown>>) => {
    const answer = await validate(home, body);
    expect(answer).toMatchObject({ status: 422, body: { code: "media_invalid" } });
    return z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(answer.body).errors;
  };

  test.for([
    ["locked.pdf", "is a PDF document with a password or with restrictions. Save it without them."],
    ["cut.pdf", "is a PDF document that is cut off: its end is missing."],
    ["cut.docx", "is an office document that is cut off: its end is missing."],
    ["macros.docm", "is an office document with macros. Save it without them."],
  ] as const)("%s", async ([name, sentence]) => {
    expect(await uploadFile(page.project, fileOf(name))).toMatchObject({
      status: 422,
      body: { errors: { file: [expect.stringContaining(sentence)] } },
    });
  });

  test("a document with pictures, and two documents", async () => {
    expect(await errors(page, { media_urls: [media("square.jpg"), media("slides.pdf")] })).toEqual({
      media_urls: ["media_urls: slides.pdf: a document cannot be posted together with images."],
    });
    const { url } = await uploaded(page.project, fileOf("report.pdf"));
    expect(await errors(page, { media_urls: [url, media("slides.pdf")] })).toEqual({
      media_urls: ["media_urls: The post must have at most 1 document, not 2."],
    });
  });

  test("a document of more pages than LinkedIn takes", async () => {
    const { url } = await uploaded(page.project, pdfOf(301));
    expect((await errors(page, { media_urls: [url] })).media_urls).toEqual([
      expect.stringMatching(/ has 301 pages; at most 300 pages are allowed\.$/),
    ]);
  });

  test.for(["facebook", "instagram", "threads", "twitter", "bluesky"] as const)(
    "a document on %s, with the platform that takes it",
    async (name) => {
      const home = await homeOn(name);
      expect((await errors(home, { media_urls: [media("slides.pdf")] })).media_urls).toEqual([
        "media_urls: slides.pdf is a PDF file. A document can be posted on LinkedIn only; here, post its pages as images.",
      ]);
    },
  );
});

/** A PDF with so many pages, all of them one; with so many spaces after its header. */
function pdfOf(pages: number, spaces = 0): Bytes {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${"3 0 R ".repeat(pages)}] >>`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
  ];
  let body = "%PDF-1.4\n";
  const entries = objects.map((object, index) => {
    const at = body.length + spaces;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${entries.join("")}`;
  const end = `trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${body.length + spaces}\n%%EOF\n`;
  const text = new TextEncoder().encode(body + table + end);
  const whole = new Uint8Array(text.byteLength + spaces).fill(0x20);
  whole.set(text.subarray(0, 9));
  whole.set(text.subarray(9), 9 + spaces);
  return whole;
}

describe("exactly once", () => {
  test.for(["accept_then_drop", "accept_then_error", "error"] as const)(
    "a page's document whose post meets %s is published once",
    async (kind) => {
      await sandbox.fault("linkedin", "publish", kind);
      const { post, live } = await publish(page, { media_urls: [media("slides.pdf")] });
      expect(post).toMatchObject({ STATUS: "published" });
      expect(live).toHaveLength(1);
    },
  );

  test.for(["accept_then_drop", "accept_then_error", "error"] as const)(
    "an upload that meets %s is sent again, and one post is published",
    async (kind) => {
      await sandbox.fault("linkedin", "upload", kind);
      const { post, live } = await publish(page, { media_urls: [media("slides.pdf")] });
      expect(post).toMatchObject({ STATUS: "published" });
      expect(live).toHaveLength(1);
    },
  );

  test("a document that LinkedIn cannot process fails the post, which names it", async () => {
    await sandbox.fault("linkedin", "upload", "processing_failed");
    await sandbox.fault("linkedin", "upload", "processing_failed");
    const { post, live } = await publish(page, { media_urls: [media("slides.pdf")] });
    expect(post).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("LinkedIn could not process the document"),
    });
    expect(live).toEqual([]);
  });

  test("it is deleted like any other post", async () => {
    const { id, caption } = await publish(page, { media_urls: [media("slides.pdf")] });
    await page.project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    expect(await sandbox.postsWith(caption)).toEqual([]);
  });
});

test("one request uploads the document, whatever its size", async () => {
  const before = (await callsTo("linkedin")).length;
  const whole = pdfOf(2, 20 * 1024 * 1024);
  const { url } = await uploaded(page.project, whole);
  const { post, live } = await publish(page, { media_urls: [url] });
  expect(post).toMatchObject({ STATUS: "published" });
  expect((await fetchReceived(live[0]?.media[0] ?? "")).byteLength).toBe(whole.byteLength);
  const calls = (await callsTo("linkedin")).slice(before);
  expect(calls.filter(({ operation }) => operation === "upload")).toHaveLength(2);
});
