import { expect, test } from "vitest";
import { standingOf } from "../../src/accounts/moving.ts";
import { projectMoves } from "../../src/projects/moving/move-project.ts";
import { createDeps } from "../../src/service/deps.ts";
import { commentableOn, type Home, homeOn, send } from "../contract/world.ts";
import { minutes, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { collect, textsOf } from "../support/comments.ts";
import { databases, rowOf, useDatabases } from "../support/databases.ts";
import { requestMove } from "../support/moving.ts";
import { bindings, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { door } from "../support/world.ts";

/** Webhooks of platforms that arrive between any two steps of a move. */
useDatabases();

/** Both begin in the same database; a new project gets the emptiest. */
async function homeInFirst(): Promise<Home> {
  for (let tries = 0; tries < 2 * databases().length; tries++) {
    const home = await homeOn("facebook", undefined, { isWhole: true });
    if ((await rowOf(home.project)).database === 0) return home;
  }
  throw new Error("No new project is in the first database.");
}

test("a comment that arrives during a move is stored, or refused and stored when it is sent again", {
  timeout: 300_000,
}, async () => {
  const home = await homeInFirst();
  await collect(home);
  const staying = await homeInFirst();
  await collect(staying);
  const live = async (of: typeof home) => {
    const { id } = await send(of, commentableOn("facebook"));
    await queuesIdle(MINUTE);
    await advance(3_000);
    return platformIdOf(id);
  };
  const [moved, left] = [await live(home), await live(staying)];
  const { id: projectId } = await rowOf(home.project);
  await minutes(3);
  expect((await requestMove(home.project, { to: 1 })).status).toBe(200);
  const now = Date.now();
  const task = { key: `move:${projectId}`, kind: "move", dueAt: now, intervalMs: 0, failures: 0, state: null } as const;
  const row = { ...task, groupKey: null, turn: 1, sentAt: null, ranAt: now, createdAt: now };
  const refused: { url: string; headers: HeadersInit; body: string }[] = [];
  const texts: string[] = [];
  for (let runs = 0; runs < 400; runs++) {
    const next = await projectMoves.run(createDeps(bindings, { test: "move" }), String(projectId), row);
    if (next.kind === "stop") break;
    await advance(next.afterMs);
    const [text, other] = [`Moving ${runs} ${crypto.randomUUID()}`, `Staying ${runs} ${crypto.randomUUID()}`];
    await sandbox.comment("facebook", moved, text, "Ada Reader");
    await sandbox.comment("facebook", left, other, "Ada Reader");
    texts.push(text);
    for (const { id, url, headers, body } of await sandbox.webhooks("waiting")) {
      const { status } = await door(new Request(url, { method: "POST", headers, body }));
      await sandbox.webhookAnswered(id, 200);
      if (status >= 300) refused.push({ url, headers, body });
    }
    // Whatever the move does, the other project has its comment at once.
    if (runs % 5 === 0) expect(await textsOf(staying.project, "limit=100")).toContain(other);
  }
  expect(refused.length).toBeGreaterThan(0);
  for (const { url, headers, body } of refused) {
    expect((await door(new Request(url, { method: "POST", headers, body }))).status).toBe(200);
  }
  await advance(3_000);
  const shown = new Set(await textsOf(home.project, "limit=100"));
  expect(texts.slice(-20).filter((text) => !shown.has(text))).toEqual([]);
});

test("one of two databases always says that the project is here, or on its way", () => {
  const [from, to] = [0, 1];
  const standing = (row: { database: number; movingAt: number | null }) => [standingOf(row, from), standingOf(row, to)];
  expect(standing({ database: from, movingAt: null })).toEqual(["here", "elsewhere"]);
  expect(standing({ database: from, movingAt: 1 })).toEqual(["moving", "moving"]);
  expect(standing({ database: to, movingAt: 1 })).toEqual(["elsewhere", "moving"]);
  expect(standing({ database: to, movingAt: null })).toEqual(["elsewhere", "here"]);
});
