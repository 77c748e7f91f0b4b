import { z } from "zod";
import { callerWithoutToken } from "../../accounts/caller.ts";
import { selectProject } from "../../accounts/store.ts";
import { beginAct, endAct } from "../../audit/store.ts";
import { selectBrand, toBrand } from "../../branding/store.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { Heading } from "../../pages/layout.tsx";
import { platformTitle } from "../../platforms/facts.ts";
import { findPostOfLink } from "../../posts/approval/approval-link.ts";
import { clientName, plainClientName } from "../../posts/approval/client-name.ts";
import { type Approval, approvePost, commentOn, sendBack } from "../../posts/approval/decide.ts";
import { listWaiting } from "../../posts/approval/waiting.ts";
import type { Deps } from "../../service/deps.ts";
import { type Entry, FormProblem, projectPage, publicAction, publicPage, type Visit } from "../definition.ts";
import { checks, field, line } from "../fields.ts";
import { DataTable } from "../lists.tsx";
import { Empty, Form, Notices, TextField, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { postName } from "../posts/post-parts.tsx";
import { PostContent } from "../posts/post-views.tsx";
import { isRefusal } from "../refusal.ts";
import { APPROVAL_ACTIONS, instead, revision } from "./approval-actions.ts";
import { ApprovalFacts, hasPassed, wantedText } from "./approval-section.tsx";

const PATH = "/projects/:project/approvals";
const CLIENT_PATH = "/approve/:secret";
const SHOWN = 50;

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ approval }) => approval.title, icon: "check" },
  title: ({ approval }) => approval.title,
  load: async ({ deps, project }) => listWaiting(deps.db, project.id, SHOWN),
  view: (posts, visit) => {
    const { approval: texts } = visit.texts;
    const columns = [texts.post, texts.channel, texts.wanted, texts.requestedBy, texts.requestedAt];
    const rows = posts.flatMap((post) =>
      post.approval === null
        ? []
        : [
            [
              <a href={postPath(visit.project.id, post.id)}>{postName(visit.texts, post)}</a>,
              `${post.channel.name} · ${platformTitle(post.channelType)}`,
              wantedText(visit.texts, post.approval, post.timeZone),
              post.approval.requestedBy,
              <Time at={post.approval.requestedAt} zone={visit.project.timeZone} visit={visit} />,
            ],
          ],
    );
    return (
      <>
        <Top title={texts.title} lead={texts.lead} />
        <Notices visit={visit} />
        {rows.length === 0 ? (
          <Empty icon="check" title={texts.noneTitle} lead={texts.noneLead} />
        ) : (
          <DataTable caption={texts.title} columns={columns.map((title) => ({ title }))} rows={rows} />
        )}
      </>
    );
  },
});

/** What a client with a link sees: the post, and three ways to answer. */
const clientPage = publicPage({
  path: CLIENT_PATH,
  title: ({ approval }) => approval.section,
  load: async ({ deps, params, now }) => {
    const linked = await findPostOfLink(deps, params.secret ?? "", now);
    const post = linked?.post;
    const rows = linked && (await readTogether(linked.deps.db, selectBrand(linked.deps.db, linked.post.projectId)));
    const [project] = rows?.project ?? [];
    const brand = rows && toBrand(rows);
    return { found: post && project && brand ? { post, project, brand } : null };
  },
  brand: ({ found }) => found?.brand ?? null,
  view: ({ found }, visit) => {
    const { client, states } = visit.texts.approval;
    const approval = found?.post.approval;
    if (!found || !approval) return <Heading mark="bad" title={client.overTitle} lead={client.overLead} />;
    const { post, project, brand } = found;
    const lead = client.lead({ channel: brand.name, platform: platformTitle(post.channelType) });
    if (post.approvalState !== "waiting" || post.state !== "draft") {
      const state = post.approvalState === null ? "" : states[post.approvalState];
      return (
        <>
          <Heading title={client.decidedTitle} lead={state} />
          <Notices visit={visit} />
        </>
      );
    }
    return (
      <>
        <Heading title={client.title({ project: brand.name })} lead={lead} />
        <Notices visit={visit} />
        <PostContent visit={visit} post={post} />
        <ApprovalFacts visit={visit} zone={project.timeZone} approval={approval} />
        <ClientForm visit={visit} revision={post.revision} isLate={hasPassed(approval, post.timeZone, visit.now)} />
      </>
    );
  },
});

interface ClientForm {
  readonly visit: Visit;
  readonly revision: number;
  readonly isLate: boolean;
}

function ClientForm({ visit, revision, isLate }: ClientForm) {
  const { approval: texts } = visit.texts;
  const { client } = texts;
  return (
    <Form visit={visit} action={`/console/approve/${visit.params.secret}`}>
      {isLate && <p class="note">{texts.timePassed}</p>}
      <input type="hidden" name="revision" value={String(revision)} />
      <input type="hidden" name="instead" value={isLate ? "now" : ""} />
      <TextField visit={visit} name="name" label={client.name} input={{ required: true, maxlength: 100 }} />
      <TextField
        visit={visit}
        name="note"
        label={client.comment}
        hint={client.commentHint}
        input={{ maxlength: 2000 }}
      />
      <div class="buttons">
        <button class="button first" type="submit" name="answer" value="approve">
          {isLate ? texts.approveNow : texts.approve}
        </button>
        <button class="button" type="submit" name="answer" value="send_back">
          {texts.sendBack}
        </button>
        <button class="button" type="submit" name="answer" value="comment">
          {client.send}
        </button>
      </div>
    </Form>
  );
}

const ClientAnswer = z.object({
  answer: field(z.enum(["approve", "send_back", "comment"])),
  name: line(100),
  note: field(z.string().max(2_000)),
  revision,
  instead,
});

const clientAction = publicAction({
  effect: "sets",
  path: CLIENT_PATH,
  page: CLIENT_PATH,
  body: () => ClientAnswer,
  run: async ({ deps: named, params, now, texts }, { answer, name, note, revision, instead }) => {
    const { client, done } = texts.approval;
    const { post = null, deps = named } = (await findPostOfLink(named, params.secret ?? "", now)) ?? {};
    const [project] = post ? await selectProject(deps.db, post.projectId) : [];
    if (!post || !project) throw new AppError("not_found", client.overTitle);
    if (answer !== "approve" && note === "") throw new FormProblem({ note: [client.noteRequired] });
    if (plainClientName(name) === "") throw new FormProblem({ name: [checks.required] });
    const by = clientName(name, post.approval?.linkedBy ?? null);
    // The client acts with the permission of the editor who made the link.
    const caller = callerWithoutToken(project, ["social-create-post"]);
    const act = { projectId: project.id, at: now, source: "client", actor: by } as const;
    const where = { action: `${CLIENT_PATH}/${answer}`, path: postPath(project.id, post.id) };
    const entry = await beginAct(deps.db, { ...act, ...where });
    try {
      // Judged here: the form of a page that was opened in time cannot publish at once.
      const isLate = post.approval !== null && hasPassed(post.approval, post.timeZone, now);
      const given = { by, revision, note, instead: isLate ? instead : undefined };
      const { notice, isKept = true } = await ANSWERS[answer]({ deps, caller, id: post.id, given, texts: done });
      await endAct(deps, entry, isKept ? "done" : "nothing");
      return { to: `/console/approve/${params.secret}`, flash: { notice } };
    } catch (error) {
      if (isRefusal(error)) await endAct(deps, entry, "nothing");
      throw error;
    }
  },
});

interface Answering {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly id: PostId;
  readonly given: { readonly by: string; readonly revision: number; readonly note: string } & Pick<Approval, "instead">;
  readonly texts: Visit["texts"]["approval"]["done"];
}

/** What the client reads, and whether anything was kept. */
interface Answered {
  readonly notice: string;
  readonly isKept?: boolean;
}

const ANSWERS = {
  async approve({ deps, caller, id, given: { note, ...given }, texts }: Answering): Promise<Answered> {
    const { isNew } = await approvePost(deps, caller, id, { ...given, note: note === "" ? null : note });
    return { notice: isNew ? texts.approved : texts.repeated, isKept: isNew };
  },
  async send_back({ deps, caller, id, given: { by, revision, note }, texts }: Answering): Promise<Answered> {
    await sendBack(deps, caller, id, { by, revision, note });
    return { notice: texts.sentBack };
  },
  async comment({ deps, caller, id, given: { by, note }, texts }: Answering): Promise<Answered> {
    return { notice: texts.commented, isKept: await commentOn(deps, caller, id, { by, note }) };
  },
};

export const APPROVAL: readonly Entry[] = [listPage, ...APPROVAL_ACTIONS, clientPage, clientAction];
