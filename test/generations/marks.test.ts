import { afterEach, describe, expect, test } from "vitest";
import { altering, quiet } from "../support/between.ts";
import { markOf, propertiesOf } from "../support/file-marks.ts";
import { generate, lastModelCall, paidCalls } from "../support/generations.ts";
import { ascii, box, bytes } from "../support/media-files.ts";
import { queue } from "../support/queue.ts";
import { SANDBOX } from "../support/sandbox.ts";
import { door, Project } from "../support/world.ts";

/** Videos of servers that send less, or more, than the sandbox: each file has the mark, or fails. */

afterEach(() => {
  quiet();
  queue.loseAll();
});

/** The server sends what the test makes of each video. */
function sending(change: (video: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>, hasLength = true): void {
  altering(async ({ url }, answer) => {
    if (!url.endsWith("/content")) return null;
    const video = change(new Uint8Array(await answer.arrayBuffer()));
    const headers = hasLength ? { "Content-Length": String(video.byteLength) } : undefined;
    return new Response(hasLength ? video : new Blob([video]).stream(), { ...(headers && { headers }) });
  });
}

async function generatedFile(): Promise<Uint8Array> {
  const made = await generate(await Project.create(), "breel");
  expect(made).toMatchObject({ status: "done", error: null });
  return new Uint8Array(await (await door(new Request(made.media_urls[0] ?? ""))).arrayBuffer());
}

const MARKED = { types: ["trainedAlgorithmicMedia"], systems: ["sandbox-video"] };

/** The video with a box of this size field in place of its last one. */
function withoutLastSize(video: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const copy = new DataView(video.slice().buffer);
  let at = 0;
  while (at + copy.getUint32(at) < copy.byteLength) at += copy.getUint32(at);
  copy.setUint32(at, 0);
  return new Uint8Array(copy.buffer);
}

describe("a generated video has the mark", () => {
  test("if the server does not send its length, and the last box has none", async () => {
    sending(withoutLastSize, false);
    const file = markOf(await generatedFile());
    expect(file).toMatchObject(MARKED);
    expect(file.packets).toHaveLength(1);
  });

  test("in the packet that it came with, which loses the prompt and keeps the rest", async () => {
    const iptc = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";
    const packet =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description rdf:about="" xmlns:e="${iptc}" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="A bakery" ` +
      'e:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture" e:AIPromptInformation="buns"/>' +
      "</rdf:RDF></x:xmpmeta>";
    const id = Uint8Array.from(Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"));
    sending((video) => bytes(video, box("uuid", id, ascii(packet))));
    const file = markOf(await generatedFile());
    expect(file).toMatchObject(MARKED);
    expect(file.packets).toHaveLength(1);
    expect(file.packets[0]).toContain('dc:source="A bakery"');
    expect(propertiesOf(file.packets[0] ?? "", "AIPromptInformation")).toEqual([]);
  });
});

describe("a video that cannot have the mark fails, and is not made twice", () => {
  test("WebM", async () => {
    const webm = new Uint8Array(await (await fetch(`${SANDBOX}/_media/clip.webm`)).arrayBuffer());
    const before = await lastModelCall();
    sending(() => webm);
    expect(await generate(await Project.create(), "breel")).toMatchObject({
      status: "failed",
      error_code: "model_unusable",
      error: expect.stringMatching(/video\/webm.*MP4/),
    });
    expect(await paidCalls(before)).toEqual({ chat: 1, video: 1 });
  });

  test("one that is cut off", async () => {
    const before = await lastModelCall();
    sending((video) => video.slice(0, -10));
    expect(await generate(await Project.create(), "breel")).toMatchObject({
      status: "failed",
      error_code: "model_unusable",
      error: expect.stringMatching(/cut off/),
    });
    expect(await paidCalls(before)).toEqual({ chat: 1, video: 1 });
  });
});
