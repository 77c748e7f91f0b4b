import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { arm, disarm, makeMortal } from "../contract/mortal.ts";
import { connectThrough } from "../support/person.ts";
import { newBrowser, PAGES, Project } from "../support/world.ts";

/** A login that dies, or loses an answer of D1, at any call. */

const Channels = z.object({ channels: z.looseObject({ data: z.array(z.looseObject({ channel_id: z.number() })) }) });
const Opened = z.object({ connect_url: z.string(), connect_token: z.string() });
const Status = z.looseObject({ connect_status: z.string() });
const CALLS = 60;

test.for(["dies", "loses the answer"] as const)(
  "%s: a channel is connected with its login or not at all",
  { timeout: 300_000 },
  async (fate) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    makeMortal();
    for (let at = 1; at <= CALLS; at++) {
      const project = await Project.create();
      const connect = async () => {
        const { body } = await project.call("POST", "/social/connect-channel", { body: { userId: "u" } });
        const { connect_url: url, connect_token: token } = Opened.parse(body);
        return {
          token,
          go: () => connectThrough(newBrowser(), url, { platforms: ["facebook"], accounts: [PAGES.fern] }),
        };
      };
      const channels = async () =>
        Channels.parse((await project.call("GET", "/social/get-channels")).body).channels.data;
      const first = await connect();
      arm({ [at]: fate });
      await first.go().catch(() => null);
      const events = disarm();
      const { body } = await project.call("GET", `/social/connect-status?connect_token=${first.token}`);
      const isConnected = Status.parse(body).connect_status === "success";
      expect([at, (await channels()).length]).toEqual([at, isConnected ? 1 : 0]);
      if (!isConnected) await (await connect()).go();
      expect([at, (await channels()).length]).toEqual([at, 1]);
      if (events < at) break;
    }
    const phantoms = await env.DB.prepare(
      "SELECT count(*) AS n FROM channels WHERE disconnected_at IS NULL AND id NOT IN (SELECT channel_id FROM grants)",
    ).first<number>("n");
    expect(phantoms).toBe(0);
  },
);

test("a login whose last answer of D1 is lost shows that all is connected", { timeout: 120_000 }, async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  makeMortal();
  for (let at = 1; at <= CALLS; at++) {
    const project = await Project.create();
    const { body } = await project.call("POST", "/social/connect-channel", { body: { userId: "u" } });
    const { connect_url: url, connect_token: token } = Opened.parse(body);
    arm({ [at]: "loses the answer" });
    const page = await connectThrough(newBrowser(), url, { platforms: ["facebook"], accounts: [PAGES.fern] }).catch(
      () => null,
    );
    const events = disarm();
    const status = await project.call("GET", `/social/connect-status?connect_token=${token}`);
    if (page && Status.parse(status.body).connect_status === "success")
      expect([at, page.html.includes("keeps happening")]).toEqual([at, false]);
    if (events < at) return;
  }
});
