import { expect, test } from "vitest";
import { COUNTS } from "../../scripts/support/bill.ts";
import { sweep } from "../../src/entry/dispatch.ts";
import { freshHome } from "../contract/world.ts";
import { minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, conversationWith, sendIn, writeTo } from "../support/conversations.ts";
import { costsOf } from "../support/costs.ts";
import { costOfDelivery, expectCounted, type Measured, measuredOf, meterOf } from "../support/measured.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { HOUR } from "../support/times.ts";

/**
 * What direct messages take: the counts of `npm run bill`, which are those of X. No other platform takes
 * more.
 */

test.for(["twitter", "facebook", "instagram"] as const)("direct messages on %s", { timeout: 60_000 }, async (name) => {
  await startClean();
  const { project, channel, accountId } = await freshHome(name);
  await collect(project, channel);
  const read = async () => {
    await advance(7 * HOUR);
    queue.loseAll();
    await costsOf(sweep);
    return measuredOf([await costOfDelivery("messages")]);
  };
  // The first message and answer of a project write what the later ones find.
  for (const turn of [1, 2]) {
    const author = uniquely("Ada");
    await read();
    const inbox = await read();
    await writeTo(name, accountId ?? "", "Do you ship?", author);
    const message = await read();
    await minutes(2);
    const { conversation_id: id } = await conversationWith(project, author);
    queue.loseAll();
    const requested = meterOf(await sendIn(project, id, "We do."));
    const messageAnswer = measuredOf([requested, await costOfDelivery("message")]);
    await queuesIdle();
    if (turn === 1) continue;
    for (const [piece, measured] of Object.entries({ inbox, message, messageAnswer } as const) as Pieces)
      if (name === "twitter") expectCounted(piece, measured);
      else expectAtMost(piece, measured);
  }
});

type Piece = "inbox" | "message" | "messageAnswer";
type Pieces = [Piece, Measured][];

function expectAtMost(piece: Piece, { rowsRead, rowsWritten }: Measured): void {
  expect(rowsRead, piece).toBeLessThanOrEqual(COUNTS[piece].rowsRead);
  expect(rowsWritten, piece).toBeLessThanOrEqual(COUNTS[piece].rowsWritten);
}
