import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callJson } from "./http.mjs";
import { writePrivate } from "./secrets.mjs";

/** The ready-made token of this state directory: the same one as long as it works. */
export async function ensureDemoToken(directory, origin, operator) {
  const file = join(directory, "demo-token");
  const known = readIfThere(file);
  if (known && (await works(origin, known))) return known;
  const { token } = await operator.issueToken({ project: "Demo", name: "npm start" });
  writePrivate(file, `${token}\n`);
  return token;
}

async function works(origin, token) {
  const headers = { Authorization: `Bearer ${token}` };
  const { status } = await callJson("GET", `${origin}/api/v1/social/upcoming-posts?limit=1`, { headers });
  return status !== 401;
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}
