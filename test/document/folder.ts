import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/support/paths.ts";

/** An empty folder for what a test makes of the document. */
export class Folder {
  readonly path: string;
  constructor(name: string) {
    this.path = join(ROOT, "dist", "document", name);
    rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.path, { recursive: true });
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Returns the file's path. */
  write(name: string, content: string): string {
    writeFileSync(this.at(name), content);
    return this.at(name);
  }
}
