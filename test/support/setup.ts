import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach } from "vitest";
import { eventFlaws } from "./events.ts";

await applyD1Migrations(env.DB, env.MIGRATIONS);

afterEach(async () => {
  const flaws = await eventFlaws();
  if (flaws.length > 0) throw new Error(flaws.join("\n"));
});
