import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SHARED_MEMORY = "/dev/shm";
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * A new folder for the storage of local services, in memory where the system has an in-memory file system
 * with room: on a disk each transaction waits for it.
 */
export const makeScratch = (name: string): string =>
  mkdtempSync(join(hasRoomInMemory() ? SHARED_MEMORY : tmpdir(), name));

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
