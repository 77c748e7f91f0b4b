// Uploaded bytes. A row holds at most 2 MB, so a file is stored in parts, each named by its offset.

import type { Database } from "./database";
import type { ByteSource } from "./media-probe";
import { randomText } from "./random";

const PART = 1_000_000;

export class BlobStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  create(type = "application/octet-stream"): string {
    const id = randomText(20);
    this.#db.insert("blobs", { id, type, size: 0 });
    return id;
  }

  /** Appends bytes and returns the new size. */
  append(id: string, bytes: Uint8Array): number {
    let size = this.size(id);
    for (let at = 0; at < bytes.length; at += PART) {
      const part = bytes.slice(at, at + PART);
      this.#db.insert("blob_parts", { blob_id: id, start: size, bytes: part.buffer });
      size += part.length;
    }
    this.#db.run("UPDATE blobs SET size = ? WHERE id = ?", size, id);
    return size;
  }

  remove(id: string): void {
    this.#db.run("DELETE FROM blob_parts WHERE blob_id = ?", id);
    this.#db.run("DELETE FROM blobs WHERE id = ?", id);
  }

  setType(id: string, type: string): void {
    this.#db.run("UPDATE blobs SET type = ? WHERE id = ?", type, id);
  }

  size(id: string): number {
    return this.find(id)?.size ?? 0;
  }

  find(id: string): { type: string; size: number } | null {
    return this.#db.first<{ type: string; size: number }>("SELECT type, size FROM blobs WHERE id = ?", id);
  }

  read(id: string, offset: number, length: number): Uint8Array<ArrayBuffer> {
    const parts = this.#db.all<{ start: number; bytes: ArrayBuffer }>(
      "SELECT start, bytes FROM blob_parts WHERE blob_id = ? AND start < ? AND start + length(bytes) > ? ORDER BY start",
      id,
      offset + length,
      offset,
    );
    const end = Math.min(offset + length, this.size(id));
    const out = new Uint8Array(Math.max(0, end - offset));
    for (const { start, bytes } of parts) {
      const from = Math.max(offset, start);
      const to = Math.min(end, start + bytes.byteLength);
      out.set(new Uint8Array(bytes, from - start, to - from), from - offset);
    }
    return out;
  }

  source(id: string): ByteSource {
    return { size: this.size(id), read: (offset, length) => this.read(id, offset, length) };
  }
}

export const blobPath = (id: string) => `/_blob/${id}`;
