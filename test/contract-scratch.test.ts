import { env } from "cloudflare:workers";
import { test } from "vitest";
test("explore", async ({ expect }) => {
  for (const path of ["", "settings", "faults", "posts", "accounts"]) {
    const r = await env.SANDBOX.fetch(`http://sandbox.test/_control/${path}`);
    console.log(path, r.status, (await r.text()).slice(0, 3000));
  }
  for (const body of [{ slow_ms: 40 }, { nonsense: 1 }]) {
    const r = await env.SANDBOX.fetch(`http://sandbox.test/_control/settings`, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    console.log("POST settings", r.status, (await r.text()).slice(0, 3000));
  }
  for (const platform of ["facebook", "twitter"]) for (const operation of ["token", "publish", "upload", "status", "delete"]) for (const kind of ["error", "slow", "rate_limit", "accept_then_drop", "accept_then_error", "expire_token", "revoke_token", "reject_media", "processing_failed"]) {
    const r = await env.SANDBOX.fetch(`http://sandbox.test/_control/faults`, { method: "POST", body: JSON.stringify({ platform, operation, kind, times: 0 }), headers: { "content-type": "application/json" } });
    if (r.status !== 200) console.log(platform, operation, kind, r.status, (await r.text()).slice(0, 300));
  }
  for (const m of ["square.jpg", "landscape.jpg", "square.png", "anim.gif", "photo.webp", "reel.mp4", "clip.mp4", "large.jpg", "notes.txt", "none.jpg"]) {
    const r = await fetch(`https://sandbox.test/_media/${m}`, { headers: { range: "bytes=0-10" } });
    console.log(m, r.status, r.headers.get("content-range"), r.headers.get("content-type"), (await r.arrayBuffer()).byteLength);
  }
  expect(1).toBe(1);
});
