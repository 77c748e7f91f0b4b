import { z } from "@hono/zod-openapi";
import { isoUtc } from "../../core/time.ts";
import type { Api } from "../../http/api.ts";
import { idempotently } from "../../http/idempotency.ts";
import { operation } from "../../http/operation.ts";
import { apiOrigin } from "../../http/origin.ts";
import { readPathId } from "../../http/page.ts";
import { warn } from "../../http/warnings.ts";
import { PostContentView, toContentView } from "../content/content-view.ts";
import { recallCreated } from "../create/created.ts";
import { ignoredFields } from "../create/post-kinds.ts";
import { CreatePostBody, PostIdParam, UpcomingQuery } from "../schema.ts";
import { EXAMPLE_POST, PostView, toPostView } from "../view-schema.ts";
import { approvalUrl, makeApprovalLink, revokeApprovalLink } from "./approval-link.ts";
import { ApproveBody, RequestApprovalBody, SendBackBody } from "./approval-schema.ts";
import { approvePost, insteadOf, sendBack } from "./decide.ts";
import { proposePost, requestApproval, tokenName, withTimes } from "./request-approval.ts";
import { listWaiting } from "./waiting.ts";

const Done = z.literal(true);
const Decided = z.object({ message: z.string(), post: PostView, status: Done });
const WAITING = { ...EXAMPLE_POST, STATUS: "draft" } as const;

/** The extension for posts that wait for approval. */
export function approvalRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "proposePost",
      method: "post",
      path: "/social/propose-post",
      tag: "Approval",
      permission: ["social-propose-post", "social-create-post"],
      extension: true,
      summary: "Propose a post",
      description:
        "Takes the body of create-post, with all of its checks, and stores the post as a draft that waits for approval. It is published as the body says once approve-post approves it, and never before.",
      idempotent: true,
      quotas: "posts waiting, bytes of text stored",
      body: CreatePostBody,
      answer: z.object({
        message: z.string(),
        data: z.object({
          post_id: z.int(),
          STATUS: z.literal("draft"),
          find_post_url: z.string().openapi({ example: "https://belfry.example/api/v1/social/post/42" }),
        }),
        status: Done,
      }),
      answerDescription: "The post waits.",
      example: {
        message: "The post waits for approval.",
        data: { post_id: 42, STATUS: "draft", find_post_url: "https://belfry.example/api/v1/social/post/42" },
        status: true,
      },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const { deps, caller } = c.var;
      warn(c, ...ignoredFields(body));
      const { id, warnings } = await idempotently(
        c,
        body,
        (idempotency) => proposePost(deps, caller, body, { idempotency, by: tokenName(caller) }),
        recallCreated,
      );
      warn(c, ...warnings);
      const data = { post_id: id, STATUS: "draft", find_post_url: `${apiOrigin(c)}/api/v1/social/post/${id}` } as const;
      return c.json({ message: "The post waits for approval.", data, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "requestApproval",
      method: "post",
      path: "/social/request-approval/{post_id}",
      tag: "Approval",
      permission: ["social-propose-post", "social-create-post"],
      extension: true,
      summary: "Request approval of a draft",
      description: "Requests approval of a draft as it is now, for the first time, or again after it was sent back.",
      params: PostIdParam,
      body: RequestApprovalBody,
      answer: Decided,
      answerDescription: "The draft waits.",
      example: { message: "Post 42 waits for approval.", post: WAITING, status: true },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { note = null, ...schedule } = c.req.valid("json");
      const { deps, caller } = c.var;
      const request = { wanted: withTimes(schedule), note, by: tokenName(caller) };
      const post = toPostView(await requestApproval(deps, caller, id, request), apiOrigin(c));
      return c.json({ message: `Post ${id} waits for approval.`, post, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "approvePost",
      method: "post",
      path: "/social/approve-post/{post_id}",
      tag: "Approval",
      permission: "social-create-post",
      extension: true,
      summary: "Approve a post",
      description:
        "Publishes a draft that waits for approval as requested, or as this body says. A post that changed after `revision` is refused, so that nothing is approved unseen. A second approval publishes nothing more.",
      params: PostIdParam,
      body: ApproveBody,
      answer: Decided,
      answerDescription: "The post is published as requested.",
      example: {
        message: "Post 42 is approved: it is scheduled.",
        post: { ...WAITING, STATUS: "scheduled" },
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { revision, note = null, ...schedule } = c.req.valid("json");
      const { deps, caller } = c.var;
      const approval = { by: tokenName(caller), revision, note, instead: insteadOf(schedule) };
      const { post: approved, warnings, isNew } = await approvePost(deps, caller, id, approval);
      warn(c, ...warnings.map(({ message }) => message));
      const post = toPostView(approved, apiOrigin(c));
      const message = isNew ? `Post ${id} is approved: it is ${post.STATUS}.` : `Post ${id} was approved before.`;
      return c.json({ message, post, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "sendBackPost",
      method: "post",
      path: "/social/send-back-post/{post_id}",
      tag: "Approval",
      permission: "social-create-post",
      extension: true,
      summary: "Send a post back",
      description: "Refuses approval with a note. The draft can be changed, and approval requested again.",
      params: PostIdParam,
      body: SendBackBody,
      answer: Decided,
      answerDescription: "The draft was sent back.",
      example: { message: "Post 42 was sent back.", post: WAITING, status: true },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { deps, caller } = c.var;
      const decision = { ...c.req.valid("json"), by: tokenName(caller) };
      const post = toPostView(await sendBack(deps, caller, id, decision), apiOrigin(c));
      return c.json({ message: `Post ${id} was sent back.`, post, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "createApprovalLink",
      method: "post",
      path: "/social/approval-link/{post_id}",
      tag: "Approval",
      permission: "social-create-post",
      extension: true,
      summary: "Create an approval link",
      description:
        "A link with which a client without an account approves the post, sends it back or comments on it, for 14 days. A new link replaces the earlier one.",
      refusedByState: "Post 42 does not wait for approval.",
      params: PostIdParam,
      answer: z.object({ url: z.string(), expires_at: z.string(), status: Done }),
      answerDescription: "The link.",
      example: {
        url: "https://belfry.example/console/approve/eyJhbGciOiJIUzI1NiJ9",
        expires_at: "2030-03-19T09:00:00.000+00:00",
        status: true,
      },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      const { deps, caller } = c.var;
      const { secret, expiresAt } = await makeApprovalLink(deps, caller, id, tokenName(caller));
      const url = approvalUrl(apiOrigin(c), secret);
      return c.json({ url, expires_at: isoUtc(expiresAt), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "revokeApprovalLink",
      method: "delete",
      path: "/social/approval-link/{post_id}",
      tag: "Approval",
      permission: "social-create-post",
      extension: true,
      summary: "Revoke an approval link",
      description: "The link of the post stops working at once.",
      refusedByState: "Post 42 does not wait for approval.",
      params: PostIdParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The link is revoked.",
      example: { message: "The link of post 42 is revoked.", status: true },
    }),
    async (c) => {
      const id = readPathId("post", c.req.valid("param").post_id);
      await revokeApprovalLink(c.var.deps, c.var.caller, id);
      return c.json({ message: `The link of post ${id} is revoked.`, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "listApprovals",
      method: "get",
      path: "/social/approvals",
      tag: "Approval",
      permission: "social-read-posts",
      permits: "to read posts",
      extension: true,
      summary: "Posts that wait for approval",
      description: "With their content and `approval`, the oldest first.",
      query: UpcomingQuery,
      answer: z.object({ posts: z.array(PostContentView), status: Done }),
      answerDescription: "The posts.",
      example: { posts: [], status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const rows = await listWaiting(deps.db, caller.projectId, c.req.valid("query").limit);
      const shows = { caller, origin: apiOrigin(c), sandboxUrl: deps.config.sandboxUrl };
      return c.json({ posts: rows.map((row) => toContentView(row, shows)), status: true } as const, 200);
    },
  );
}
