import { randomUUID } from "node:crypto";
import type { Account } from "./real-network.ts";
import { check, publish, type RealRun, withText } from "./real-run.ts";

/** Accounts that are deleted or moved, and connections that end. */

export async function loseAccount(run: RealRun): Promise<void> {
  const { network } = run;
  const cleo = await network.createAccount("a", "cleo");
  const channel = await network.connect(cleo);
  await network.deleteAccount(cleo);
  const post = await publish(run, channel, { caption_text: "Nobody is here" });
  check(
    run,
    "a post of a deleted account fails and says what to do",
    post.STATUS === "failed" && /again|reconnect/i.test(post.error ?? ""),
    post,
  );
}

/** A renewal whose answer is lost cannot be had again: the account is connected again. */
export async function loseRenewal(run: RealRun): Promise<void> {
  const { network } = run;
  const flo = await network.createAccount("a", "flo");
  const channel = await network.connect(flo);
  const mark = randomUUID();
  await network.fault("putRecord", "expired", mark);
  await network.fault("/oauth/token", "lost_after", "grant_type=refresh_token");
  const post = await publish(run, channel, { caption_text: `Renewal ${mark}` });
  const isStopped = post.STATUS === "failed" && /again to publish/.test(post.error ?? "");
  const live = withText(await network.records(flo), mark);
  check(run, "a renewal whose answer is lost: the post says to reconnect", isStopped && live.length === 0, post);
  const again = await network.connect(flo);
  const after = await publish(run, channel, { caption_text: `Again ${mark}` });
  const isOnce = withText(await network.records(flo), `Again ${mark}`).length === 1;
  check(run, "after another sign-in the same channel publishes", again === channel && isOnce, after);
}

export interface Mover {
  readonly dora: Account;
  readonly channel: number;
}

/** The worst case: the old server still answers, into a copy that no reader sees. */
export async function moveAccount(run: RealRun): Promise<Mover> {
  const { network } = run;
  const dora = await network.createAccount("a", "dora");
  const channel = await network.connect(dora);
  const post = await publish(run, channel, { caption_text: "Before the move" });
  check(run, "an account publishes before it moves", post.STATUS === "published", post);
  const { handle } = await network.move(dora, true);
  return { dora: { ...dora, handle }, channel };
}

export async function followMove(run: RealRun, { dora, channel }: Mover): Promise<void> {
  const { network } = run;
  const lost = await publish(run, channel, { caption_text: "Into the void" });
  const atOld = withText(await network.records(dora, "a"), "Into the void");
  const isStopped = lost.STATUS === "failed" && /moved/.test(lost.error ?? "");
  check(run, "after a move nothing is sent to the old server", isStopped && atOld.length === 0, lost);
  await network.connect(dora, "b");
  const after = await publish(run, channel, { caption_text: "After the move" });
  const atNew = withText(await network.records(dora, "b"), "After the move");
  const isNew = after.STATUS === "published" && atNew.length === 1;
  check(run, "after another sign-in the same channel publishes on the new server", isNew, after);
}
