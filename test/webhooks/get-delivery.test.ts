import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import { addHook, deliveriesOf, happen, hookedProject, pass, receiver } from "../support/receiver.ts";
import { call, issueToken, Project } from "../support/world.ts";

beforeEach(() => receiver.reset());

const Sent = z.object({ delivery_id: z.number() });

describe("get-delivery", () => {
  test("answers the delivery as its list does, with every attempt", async () => {
    const { project, id, path } = await hookedProject();
    receiver.answer(path, 500);
    await happen(project, 1);
    await pass();
    const [listed] = await deliveriesOf(project, id);
    const { status, body } = await project.call("GET", `/social/get-delivery/${listed?.id}`);
    expect([status, body]).toEqual([200, { delivery: listed, status: true }]);
    expect(body).toMatchObject({
      delivery: {
        event: "post.removed",
        status: "waiting",
        attempts: [{ status_code: 500, response_body: "status 500" }],
      },
    });
  });

  test("finds a test of one webhook by the id that it answered, until the webhook is deleted", async () => {
    const { project, id } = await hookedProject();
    await addHook(project);
    const { delivery_id } = Sent.parse((await project.call("POST", `/social/test-webhook/${id}`)).body);
    const read = () => project.call("GET", `/social/get-delivery/${delivery_id}`);
    expect((await read()).body).toMatchObject({ delivery: { id: delivery_id, event: "webhook.test" } });
    await project.call("DELETE", `/social/delete-webhook/${id}`);
    expect((await read()).status).toBe(404);
  });

  test("is absent for others, and refused without the permission", async () => {
    const { project, id } = await hookedProject();
    const { delivery_id } = Sent.parse((await project.call("POST", `/social/test-webhook/${id}`)).body);
    const path = `/social/get-delivery/${delivery_id}`;
    const stranger = await Project.create();
    const permissions = PERMISSIONS.filter((permission) => permission !== "manage-webhooks");
    const { token } = await issueToken(project.name, { permissions });
    expect([(await stranger.call("GET", path)).status, (await call("GET", path, { token })).status]).toEqual([
      404, 403,
    ]);
    for (const invented of ["0", "abc", "99999999", "1e3"])
      expect([invented, (await project.call("GET", `/social/get-delivery/${invented}`)).status]).toEqual([
        invented,
        404,
      ]);
  });
});
