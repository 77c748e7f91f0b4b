/** A part of a file: in memory, or a stream from the server that hosts it. */
export type FilePart =
  | { readonly kind: "bytes"; readonly length: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "stream"; readonly length: number; readonly stream: ReadableStream<Uint8Array> };

/** Parts of a file as one body: each is read after the previous one was sent. */
export interface FileSeries {
  readonly kind: "series";
  readonly length: number;
  /** Throws if a part cannot be read: that aborts the request. */
  parts(): AsyncIterable<FilePart>;
}

export interface FileField {
  readonly filename: string;
  readonly mime: string;
  readonly part: FilePart;
}

/**
 * A `multipart/form-data` body that streams its files. A `FormData` would hold each file several times, and
 * all requests share the isolate's 128 MB. Field names are ours, so nothing is escaped. Can be sent once.
 */
export class Multipart {
  readonly #fields = new Map<string, string | FileField>();

  set(name: string, value: string | FileField): void {
    this.#fields.set(name, value);
  }

  get(name: string): string | FileField | undefined {
    return this.#fields.get(name);
  }

  /** A file that breaks off, or `signal`, aborts the body and the request with it. */
  encode(signal: AbortSignal): EncodedBody & { readonly contentType: string } {
    const boundary = `belfry-${crypto.randomUUID()}`;
    const parts: BodyPart[] = [];
    const text = new TextEncoder();
    for (const [name, value] of this.#fields) {
      const isFile = typeof value !== "string";
      const filename = isFile ? `; filename="${value.filename}"\r\ncontent-type: ${value.mime}` : "";
      parts.push(text.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename}\r\n\r\n`));
      parts.push(isFile ? value.part : text.encode(value), text.encode("\r\n"));
    }
    parts.push(text.encode(`--${boundary}--\r\n`));
    const length = parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.byteLength : part.length), 0);
    const isStreamed = parts.some((part) => !(part instanceof Uint8Array) && part.kind === "stream");
    return {
      contentType: `multipart/form-data; boundary=${boundary}`,
      isStreamed,
      ...announced(length, parts, signal),
    };
  }
}

/** Bytes of a file as a whole body. A broken stream, or `signal`, aborts the request. */
export function encodePart(part: FilePart | FileSeries, signal: AbortSignal): EncodedBody {
  if (part.kind === "bytes")
    return { contentType: null, body: part.bytes, isStreamed: false, isHandedOver: () => true };
  const parts = part.kind === "series" ? part.parts() : [part];
  return { contentType: null, isStreamed: true, ...announced(part.length, parts, signal) };
}

type BodyPart = Uint8Array | FilePart;
type BodyParts = Iterable<BodyPart> | AsyncIterable<BodyPart>;

/** Declares the length, so a file that is shorter or longer than announced cannot pass as complete. */
function announced(length: number, parts: BodyParts, signal: AbortSignal) {
  const { readable, writable } = new FixedLengthStream(length);
  let isHandedOver = false;
  void write(parts, writable, signal).then(
    () => {
      isHandedOver = true;
    },
    (error: unknown) => writable.abort(error).catch(() => undefined),
  );
  return { body: readable, isHandedOver: () => isHandedOver };
}

export interface EncodedBody {
  /** Null if the caller sets it. */
  readonly contentType: string | null;
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
  /** Whether the body may end before it is complete: then a refusal may be caused by that. */
  readonly isStreamed: boolean;
  /** Whether the last byte was handed to the transport; before that the platform cannot have all of it. */
  isHandedOver(): boolean;
}

async function write(parts: BodyParts, writable: WritableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  for await (const part of parts) {
    if (!(part instanceof Uint8Array) && part.kind === "stream") {
      // Piped by the runtime, so its bytes never pass through our code.
      await part.stream.pipeTo(writable, { preventClose: true, signal });
      continue;
    }
    const writer = writable.getWriter();
    await writer.write(part instanceof Uint8Array ? part : part.bytes);
    writer.releaseLock();
  }
  await writable.close();
}
