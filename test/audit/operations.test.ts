import { describe, test } from "vitest";
import { OPERATIONS } from "../../src/api/operations.ts";
import { CONSOLE } from "../../src/console/catalog.ts";

/** Every operation that writes is in the audit log, or here with the reason. */
const POSTS = "A post has a timeline of its own, which names the token.";
const READS = "It changes nothing: a body describes what is read.";
const DRAFT = "It leaves nothing but a file, which its own list shows.";
const NOT_audited: Readonly<Record<string, string>> = {
  connectChannel: "It opens a page; the account owner connects there, and each connection is an event.",
  createPost: POSTS,
  updatePost: POSTS,
  createPosts: POSTS,
  retryPost: POSTS,
  proposePost: POSTS,
  requestApproval: POSTS,
  validatePost: READS,
  validatePosts: READS,
  importPosts: "It is a dry run of a file; startImport, which creates posts, is recorded.",
  updateComment: "Assignment, note and done are events of the comment.",
  updateConversation: "Assignment, note and done are events of the conversation.",
  uploadMedia: DRAFT,
  createUpload: DRAFT,
  uploadPart: DRAFT,
  completeUpload: DRAFT,
  deleteUpload: DRAFT,
  updateMedia: "A title and tags of a file.",
  testCommentAutomation: "A trial answers the caller only.",
  createPostGeneration: "A generation has a timeline of its own.",
  getInstagramPostEligibility: READS,
  getReachEstimate: READS,
  validateBudget: READS,
  testWebhook: "It sends one test event, which the list of deliveries shows.",
  replayDelivery: "It repeats one delivery, which the list of deliveries shows.",
};

const written = OPERATIONS.flatMap(({ method, id }) => (method === "get" ? [] : [id]));
const audited = new Set(OPERATIONS.flatMap(({ audited, id }) => (audited ? [id] : [])));

describe("the audit log", () => {
  test("has every operation that writes, but those that are listed with a reason", ({ expect }) => {
    expect(written.length).toBeGreaterThan(50);
    expect(written.filter((id) => audited.has(id) === id in NOT_audited)).toEqual([]);
    expect([...audited, ...Object.keys(NOT_audited)].filter((id) => !written.includes(id))).toEqual([]);
  });

  test("has every deletion", ({ expect }) => {
    // An upload that is not complete is no file yet.
    const deletions = written.filter((id) => /^(?:delete|revoke)/.test(id) && id !== "deleteUpload");
    expect(deletions.length).toBeGreaterThan(8);
    expect(deletions.filter((id) => !audited.has(id))).toEqual([]);
  });

  test("has every action of a project in the console, but those that only report", ({ expect }) => {
    const actions = CONSOLE.flatMap((entry) => (entry.kind === "action" && entry.scope === "project" ? [entry] : []));
    const silent = actions.filter(({ isRecorded }) => !isRecorded).map(({ path }) => path);
    expect(actions.length).toBeGreaterThan(80);
    expect(silent.filter((path) => !SHOWS.test(path))).toEqual([]);
  });
});

/** They show their form again: checked, with a preview or trial, or with a file that is kept for it. */
const SHOWS = /\/imports$|\/(?:check|preview|trial|split|upload|use|pick|generate|generation|library|tiktok)$/;
