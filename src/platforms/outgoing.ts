import { outgoingText } from "../core/outgoing-text.ts";
import type { Commenting } from "./commenting.ts";
import type { DirectMessages } from "./messaging.ts";
import type { PostOptions } from "./options.ts";
import type { Platform } from "./platform.ts";
import type { Content, LinkPreview, Publishing } from "./publishing.ts";
import type { Media, PostRules, TextRules, TypeRules } from "./rules.ts";

/**
 * The one place where the texts of posts, comments and messages leave: every adapter of the registry gets
 * them cleaned (core/outgoing-text.ts), its look-ups compare them so, and its rules measure them so.
 */
export function withCleanTexts(platform: Platform): Platform {
  const { comments, messages, conversations } = platform;
  return {
    ...platform,
    rules: (attributes) => cleanRules(platform.rules(attributes)),
    posts: cleanPosts(platform.posts),
    ...(comments ? { comments: cleanComments(comments) } : {}),
    ...(messages ? { messages: { ...messages, ...cleanMessages(messages), text: measuredClean(messages.text) } } : {}),
    ...(conversations
      ? {
          conversations: {
            ...conversations,
            ...cleanMessages(conversations),
            text: measuredClean(conversations.text),
          },
        }
      : {}),
  };
}

/** Most adapters return the same rules for every account. */
const known = new WeakMap<PostRules, PostRules>();

function cleanRules(rules: PostRules): PostRules {
  const found = known.get(rules);
  if (found) return found;
  const clean = Object.fromEntries(
    Object.entries(rules).map(([type, one]: [string, TypeRules]) => [
      type,
      { ...one, text: measuredClean(one.text), ...(one.title ? { title: measuredClean(one.title) } : {}) },
    ]),
  );
  known.set(rules, clean);
  return clean;
}

function measuredClean(rules: TextRules): TextRules {
  const { problems, itemProblems, warnings } = rules;
  return {
    ...rules,
    measure: (text) => rules.measure(outgoingText(text)),
    ...(problems ? { problems: (text) => problems(outgoingText(text)) } : {}),
    ...(itemProblems ? { itemProblems: (text) => itemProblems(outgoingText(text)) } : {}),
    ...(warnings ? { warnings: (text) => warnings(outgoingText(text)) } : {}),
  };
}

function cleanPosts(posts: Publishing): Publishing {
  const { preparations, stage, commitBytes, afterwards } = posts;
  return {
    ...posts,
    prepare: (context, content, progress) => posts.prepare(context, cleanContent(content), progress),
    ...(preparations
      ? {
          preparations: {
            ...preparations,
            isCounted: (content, progress) => preparations.isCounted(cleanContent(content), progress),
          },
        }
      : {}),
    ...(stage
      ? {
          stage: (context, content, progress, item) =>
            stage.call(posts, context, cleanContent(content), progress, item),
        }
      : {}),
    commit: (context, content, progress, item) => posts.commit(context, cleanContent(content), progress, item),
    ...(commitBytes
      ? { commitBytes: (content, progress) => commitBytes.call(posts, cleanContent(content), progress) }
      : {}),
    confirm: (context, content, progress, accepted) =>
      posts.confirm(context, cleanContent(content), progress, accepted),
    find: (context, content, progress, request) => posts.find(context, cleanContent(content), progress, request),
    ...(afterwards
      ? {
          afterwards: Object.fromEntries(
            Object.entries(afterwards).map(([name, apply]) => [
              name,
              (...[context, content, post, progress]: Parameters<typeof apply>) =>
                apply(context, cleanContent(content), post, progress),
            ]),
          ),
        }
      : {}),
  };
}

const cleaned = new WeakMap<Content, Content>();

/** The content of a job is passed to many calls. */
function cleanContent(content: Content): Content {
  const found = cleaned.get(content);
  if (found) return found;
  const { items, extra, options, cover, preview } = content;
  const clean: Content = {
    ...content,
    items: items.map(({ text, media }) => ({ text: outgoingText(text), media: media.map(cleanMedia) })),
    extra: extra?.title === undefined ? extra : { ...extra, title: outgoingText(extra.title) },
    options: cleanOptions(options),
    cover: cover && cleanMedia(cover),
    ...(preview ? { preview: async (url) => cleanPreview(await preview(url)) } : {}),
  };
  cleaned.set(content, clean);
  return clean;
}

const cleanMedia = (media: Media): Media =>
  media.altText === null ? media : { ...media, altText: outgoingText(media.altText) };

const cleanOptions = (options: PostOptions): PostOptions =>
  options.title === undefined ? options : { ...options, title: outgoingText(options.title) };

const cleanPreview = (preview: LinkPreview | null): LinkPreview | null =>
  preview && { ...preview, title: outgoingText(preview.title), description: outgoingText(preview.description) };

function cleanComments(comments: Commenting): Commenting {
  const { prepare } = comments;
  return {
    ...comments,
    text: (attributes) => measuredClean(comments.text(attributes)),
    ...(prepare
      ? {
          prepare: (context, target, text, progress) =>
            prepare.call(comments, context, target, outgoingText(text), progress),
        }
      : {}),
    create: (context, target, text, progress) => comments.create(context, target, outgoingText(text), progress),
    find: (context, target, request) =>
      comments.find(context, target, { ...request, text: outgoingText(request.text) }),
  };
}

function cleanMessages<Target>(messages: DirectMessages<Target>): Pick<DirectMessages<Target>, "send" | "find"> {
  return {
    send: (context, to, text) => messages.send(context, to, outgoingText(text)),
    find: (context, to, request) => messages.find(context, to, { ...request, text: outgoingText(request.text) }),
  };
}
