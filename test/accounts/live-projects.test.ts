import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { advance } from "../support/clock.ts";
import { MINUTES } from "../support/connecting.ts";
import { call, newBrowser, Project } from "../support/world.ts";

/** `npm run token -- --live`: what makes a project publish to the real platforms. */
const Issued = z.object({ id: z.number(), token: z.string(), is_test: z.boolean() });
const operator = { "X-Operator-Key": env.OPERATOR_KEY };
const request = (project: string, live: boolean) =>
  call("POST", "/internal/tokens", { headers: operator, body: { project, ...(live ? { live } : {}) } });
const issue = async (project: string, live: boolean) => Issued.parse((await request(project, live)).body);
const revoke = (id: number) => call("POST", "/internal/tokens/revoke", { headers: operator, body: { id } });
const newName = () => `Customer ${crypto.randomUUID()}`;

describe("a live project", () => {
  test("is made when there is none, and stays live for every further token", async ({ expect }) => {
    const name = newName();
    expect(await issue(name, true)).toMatchObject({ is_test: false });
    expect(await issue(name, false)).toMatchObject({ is_test: false });
    expect(await issue(name, true)).toMatchObject({ is_test: false });
  });

  test("meets no sandbox: without an app of this service at the platforms there is nothing to connect to", async ({
    expect,
  }) => {
    const { token } = await issue(newName(), true);
    const answer = await call("POST", "/social/connect-channel", { token, body: { userId: "user-1" } });
    const page = await newBrowser().go(z.object({ connect_url: z.string() }).parse(answer.body).connect_url);
    expect(page.html).not.toContain("Test project");
    expect(page.html).toContain("Not set up by this service");
  });

  test("is not made of a test project that has a channel: it is the sandbox's", async ({ expect }) => {
    const project = await Project.create();
    await project.connect("twitter");
    expect(await request(project.name, true)).toMatchObject({
      status: 422,
      body: { status: false, message: expect.stringContaining("channels of the sandbox") },
    });
    expect(await issue(project.name, false)).toMatchObject({ is_test: true });
  });

  test("is not made of a test project while a token of it may still begin, or have begun, a connection", async ({
    expect,
  }) => {
    const name = newName();
    const first = await issue(name, false);
    expect(await request(name, true)).toMatchObject({ status: 422 });
    await revoke(first.id);
    await advance(14 * MINUTES);
    expect(await request(name, true)).toMatchObject({ status: 422 });
    await advance(2 * MINUTES);
    expect(await issue(name, true)).toMatchObject({ is_test: false });
  });
});
