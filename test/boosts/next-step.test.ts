import fc from "fast-check";
import { expect, test } from "vitest";
import { nextStep, type Situation } from "../../src/boosts/next-step.ts";
import type { CampaignGoal } from "../../src/boosts/table.ts";

/**
 * What the job of a campaign does next, over random sequences of requests, lost answers and refusals, against
 * a model of a platform.
 */

const OBJECTS = ["campaign", "adset", "ad"] as const;

interface Model {
  goal: CampaignGoal;
  isEnded: boolean;
  /** Terms by their number; a replacement is wanted where they differ in tens. */
  wanted: number;
  live: number | null;
  /** Whether the platform has what was wanted last. */
  isApplied: boolean;
  isBeingReplaced: boolean;
  ids: Set<string>;
  /** Created there, also where the answer was lost. */
  there: Set<string>;
  isUnsettled: boolean;
  isOn: boolean;
  isActivated: boolean;
  isOver: boolean;
}

const fresh = (): Model => ({
  goal: "running",
  isEnded: false,
  wanted: 1,
  live: null,
  isApplied: false,
  isBeingReplaced: false,
  ids: new Set(),
  there: new Set(),
  isUnsettled: false,
  isOn: false,
  isActivated: false,
  isOver: false,
});

function changeOf({ wanted, live, isApplied }: Model): Situation["change"] {
  if (live === null || isApplied) return "none";
  return Math.floor(wanted / 10) === Math.floor(live / 10) ? "apply" : "replace";
}

const situationOf = (model: Model, delivery: Pick<Situation, "isBlocked" | "observed">): Situation => ({
  goal: model.goal,
  isEnded: model.isEnded,
  isCounted: true,
  hasBegun: model.live !== null,
  hasObjects: model.ids.size > 0 || model.isUnsettled,
  missing: OBJECTS.find((object) => !model.ids.has(object)) ?? null,
  isActivated: model.isActivated,
  change: changeOf(model),
  isBeingReplaced: model.isBeingReplaced,
  ...delivery,
});

/** How the platform answers an act: `lost` after it did it, `down` before. */
type Answer = "done" | "lost" | "down" | "refused";

function clear(model: Model): void {
  model.ids.clear();
  model.there.clear();
  model.isUnsettled = false;
  model.isOn = false;
  model.isActivated = false;
  model.isBeingReplaced = false;
}

/** A removal gets no further than this. */
function loseOne(model: Model): void {
  const [first] = model.there;
  if (first !== undefined) model.there.delete(first);
  model.isOn = false;
}

function want(model: Model, terms: number | null): void {
  model.wanted = terms ?? model.wanted;
  model.isApplied = false;
}

function refuseChange(model: Model): void {
  want(model, model.live);
  model.isApplied = true;
}

/** What is changed or activated exists. */
function expectWhole({ ids, there }: Model): void {
  expect([...ids].filter((object) => !there.has(object))).toEqual([]);
}

/** One delivery: what it does until it waits. False when the job has finished. */
function deliver(model: Model, answers: () => Answer): boolean {
  const delivery: { isBlocked: boolean; observed: Situation["observed"] } = { isBlocked: false, observed: null };
  for (let steps = 0; steps < 50; steps++) {
    const step = nextStep(situationOf(model, delivery));
    if (step.kind === "finish") return false;
    if (step.kind === "wait") return true;
    const answer = answers();
    switch (step.kind) {
      case "begin":
        model.live = model.wanted;
        model.isApplied = true;
        break;
      case "create":
        if (answer === "refused") model.goal = "failed";
        else if (answer === "down") return true;
        else {
          model.there.add(step.object);
          model.isUnsettled = answer === "lost";
          if (answer === "lost") return true;
          model.ids.add(step.object);
        }
        break;
      case "activate":
        // Nothing unwanted and nothing incomplete is activated.
        expect([model.goal, model.ids.size]).toEqual(["running", OBJECTS.length]);
        expectWhole(model);
        if (answer === "refused") model.goal = "failed";
        else {
          model.isOn ||= answer !== "down";
          model.isActivated = answer === "done";
          delivery.isBlocked = answer !== "done";
        }
        break;
      case "change":
        expectWhole(model);
        if (answer === "refused") refuseChange(model);
        else if (answer === "done") {
          model.live = model.wanted;
          model.isApplied = true;
        } else delivery.isBlocked = true;
        break;
      case "replace":
        if (answer === "refused" && !model.isBeingReplaced) {
          refuseChange(model);
          break;
        }
        model.isBeingReplaced = true;
        if (answer === "lost") loseOne(model);
        if (answer !== "done") return true;
        clear(model);
        model.live = null;
        break;
      case "end":
        if (answer === "lost") loseOne(model);
        if (answer !== "done") return true;
        clear(model);
        model.isEnded = true;
        break;
      case "switch_off":
        if (answer !== "done") return true;
        model.isOn = false;
        model.isEnded = true;
        break;
      case "read":
        if (answer !== "done") return true;
        delivery.observed = model.isOver ? "over" : "not_over";
        break;
      case "refuse_change":
        refuseChange(model);
        break;
      case "complete":
        model.goal = "completed";
        break;
      case "count":
        delivery.observed = "over";
        break;
    }
    // What is reported as ended spends nothing, and leaves only objects that have ended.
    if (model.isEnded) {
      expect(model.isOn).toBe(false);
      if (model.goal !== "completed") expect(model.there.size).toBe(0);
    }
  }
  throw new Error("A delivery did not come to its end.");
}

const Answers = fc.array(fc.constantFrom<Answer>("done", "done", "lost", "down", "refused"), { maxLength: 30 });
const Happening = fc.constantFrom("raise", "replace", "revert", "delete", "post deleted", "over", "nothing");

test("a campaign comes to what is wanted, and nothing spends after its end", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(Happening, Answers), { maxLength: 12 }), (turns) => {
      const model = fresh();
      for (const [happening, list] of turns) {
        if (model.goal === "running") {
          if (happening === "raise") want(model, model.wanted + 1);
          if (happening === "replace") want(model, model.wanted + 10);
          if (happening === "revert") want(model, model.live);
        }
        if (happening === "over") model.isOver = true;
        if (happening === "delete" || happening === "post deleted") {
          model.goal = "deleted";
          model.isEnded = false;
        }
        let next = 0;
        deliver(model, () => list[next++] ?? "done");
      }
      // Once the platform answers, every campaign comes to its goal in one delivery.
      deliver(model, () => "done");
      if (model.goal === "running") {
        expect([model.isActivated, model.isOn, model.live]).toEqual([true, true, model.wanted]);
        expectWhole(model);
      } else expect([model.isEnded, model.isOn]).toEqual([true, false]);
    }),
    { numRuns: 2_000 },
  );
});

test("an end passes whatever waits", () => {
  const situation = situationOf(
    { ...fresh(), goal: "deleted", isOn: true, live: 1, wanted: 2 },
    { isBlocked: true, observed: null },
  );
  expect(nextStep(situation)).toEqual({ kind: "end" });
});
