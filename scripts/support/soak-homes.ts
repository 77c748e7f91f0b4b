// The projects of `npm run soak` and `npm run proof`: one, or one in each of several databases.
import { setTimeout as sleep } from "node:timers/promises";
import { firstIdOf } from "../../src/db/databases.ts";
import { type Api, type Channel, createApi, surely } from "./api.ts";
import { Refusal } from "./command.ts";
import { type Finding, note, type Run } from "./driver.ts";
import { connectAll } from "./world.ts";

const ACCOUNTS_EACH = 2;
/** While the service is killed, and posts are created. */
const MOVE_AFTER_MS = 30_000;
const POLL_MS = 2_000;

/** A project, and what it posts to. */
export interface Home {
  readonly api: Api;
  readonly channels: readonly Channel[];
}

/**
 * A project in each database. All have the same accounts, so each account is shared by projects of different
 * databases.
 */
export async function connectHomes(
  { world }: Run,
  names: readonly string[],
  databases: number,
): Promise<readonly Home[]> {
  await connectAll(world, names, ACCOUNTS_EACH);
  const homes: Home[] = [{ api: world.api, channels: await world.api.listChannels() }];
  while (homes.length < databases) {
    const { token } = await world.operator.issueToken({ project: nameOf(homes.length) });
    const api = createApi(world.service.origin, token);
    await connectAll({ api, control: world.control }, names, ACCOUNTS_EACH);
    homes.push({ api, channels: await api.listChannels() });
  }
  const used = new Set(homes.map(({ channels: [first] }) => Math.floor((first?.channel_id ?? 0) / firstIdOf(1))));
  if (used.size < databases) throw new Refusal(`The projects are in ${used.size} databases only.`);
  return homes;
}

const nameOf = (number: number) => `Customer ${number}`;

/**
 * Moves the project of the database before the last one into the last one, and waits until it is served
 * there.
 */
export async function moveInTheMiddle(run: Run, last: number, isOver: () => boolean): Promise<readonly Finding[]> {
  const { operator } = run.world;
  const project = last === 1 ? "Demo" : nameOf(last - 1);
  await sleep(MOVE_AFTER_MS);
  let move = await surely(() => operator.moveProject({ project, to: last }), isOver);
  note(run, `"${project}" is being moved to database ${last}`);
  while (!move.is_served && !isOver()) {
    await sleep(POLL_MS);
    const { step } = move;
    move = await surely(() => operator.moveProject({ project }), isOver);
    if (move.step !== step) note(run, `"${project}": ${move.step}`);
  }
  const isMoved = move.is_served && !move.is_undone;
  return [{ holds: isMoved, text: `a project was moved from database ${move.from} to ${move.to}: ${move.step}` }];
}
