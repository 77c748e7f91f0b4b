import { z } from "zod";
import { callJson, waitFor } from "./http.ts";
import { inTurn } from "./soak-plan.ts";
import type { Project, World } from "./world.ts";

/** A file of posts for `npm run pressure`: checked, then created as drafts. */

const Import = z.object({
  import: z.object({ import_id: z.number(), state: z.string(), valid: z.number(), created: z.number() }),
});

export interface Imported {
  readonly bytes: number;
  readonly checkedMs: number;
  readonly createdMs: number;
  readonly created: number;
}

export async function importRows(
  { service }: World,
  { channels, token }: Pick<Project, "channels"> & { readonly token: string },
  { rows, timeoutMs }: { readonly rows: number; readonly timeoutMs: number },
): Promise<Imported> {
  const { channel_id: id } = inTurn(channels, 0);
  const lines = Array.from(
    { length: rows },
    (_, row) => `${id},"Row ${row}, ${"with a caption of usual length ".repeat(8)}"`,
  );
  const file = new TextEncoder().encode(["channel_id,caption_text", ...lines].join("\n"));
  const headers = { Authorization: `Bearer ${token}` };
  const api = `${service.origin}/api/v1/social`;
  const startedAt = Date.now();
  const sent = await fetch(`${api}/import-posts`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "text/csv" },
    body: file,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await sent.text();
  if (sent.status !== 200) throw new Error(`import-posts answered ${sent.status}: ${text.slice(0, 300)}`);
  const checked = Import.parse(JSON.parse(text)).import;
  const checkedMs = Date.now() - startedAt;
  await callJson("POST", `${api}/start-import/${checked.import_id}`, { headers, body: {} });
  const read = async () =>
    Import.parse((await callJson("GET", `${api}/import/${checked.import_id}`, { headers })).body).import;
  await waitFor(async () => (await read()).state === "done", { timeoutMs, everyMs: 500 });
  const { created } = await read();
  return { bytes: file.length, checkedMs, createdMs: Date.now() - startedAt - checkedMs, created };
}
