// `fields=id,attachments{target{id}}`: the grammar, and cutting an object down to what was asked for.

import { badParameter } from "./graph";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };

export interface Shape {
  /** As error messages name it. */
  readonly node: string;
  /** Every field that may be asked for; a nested shape where the value is an object, a list or an edge. */
  readonly fields: { readonly [name: string]: Shape | null };
  readonly byDefault: readonly string[];
}

interface Asked {
  name: string;
  inner: Asked[] | null;
}

export function project(value: JsonObject, shape: Shape, fields: string | undefined): JsonObject {
  return pick(value, shape, fields === undefined || fields === "" ? null : readFields(fields));
}

function pick(value: JsonObject, shape: Shape, asked: Asked[] | null): JsonObject {
  const wanted = asked ?? shape.byDefault.map((name) => ({ name, inner: null }));
  const out: JsonObject = {};
  for (const { name, inner } of wanted) {
    const nested = shape.fields[name];
    if (nested === undefined) {
      throw badParameter(`Tried accessing nonexisting field (${name}) on node type (${shape.node})`);
    }
    if (inner && nested === null) {
      throw badParameter(`Subfields are not supported by ${name} on node type (${shape.node})`);
    }
    const found = value[name];
    if (found !== undefined) out[name] = nested ? pickNested(found, nested, inner) : found;
  }
  if (value.id !== undefined && shape.fields.id !== undefined) out.id = value.id;
  return out;
}

function pickNested(value: Json, shape: Shape, asked: Asked[] | null): Json {
  if (Array.isArray(value)) return value.map((item) => pickNested(item, shape, asked));
  if (value === null || typeof value !== "object") return value;
  if (value.data !== undefined) return { ...value, data: pickNested(value.data, shape, asked) };
  return pick(value, shape, asked);
}

function readFields(text: string): Asked[] {
  let at = 0;
  const malformed = () => badParameter(`Syntax error "Expected name at character ${at}" in fields`);

  const readList = (depth: number): Asked[] => {
    if (depth > 8) throw malformed();
    const list: Asked[] = [];
    for (;;) {
      const name = /^\s*([a-z_][a-z0-9_]*)((?:\.[a-z_]+\([^)]*\))*)\s*/i.exec(text.slice(at));
      if (!name?.[1]) throw malformed();
      at += name[0].length;
      let inner: Asked[] | null = null;
      if (text[at] === "{") {
        at += 1;
        inner = readList(depth + 1);
        if (text[at] !== "}") throw malformed();
        at += 1;
      }
      list.push({ name: name[1], inner });
      if (text[at] !== ",") return list;
      at += 1;
    }
  };

  const fields = readList(0);
  if (at !== text.length) throw malformed();
  return fields;
}

const shape = (node: string, plain: string, nested: Record<string, Shape>, byDefault: string): Shape => ({
  node,
  fields: { ...Object.fromEntries(plain.split(" ").map((name) => [name, null])), ...nested },
  byDefault: byDefault.split(" "),
});

const PICTURE = shape("ProfilePictureSource", "url width height is_silhouette", {}, "url");
const TARGET = shape("Profile", "id url", {}, "id url");
const IMAGE = shape("ImageSource", "src width height", {}, "src");
const MEDIA = shape("StoryAttachmentMedia", "source", { image: IMAGE }, "image source");
const SUBATTACHMENT = shape(
  "StoryAttachment",
  "media_type type url title description unshimmed_url",
  { target: TARGET, media: MEDIA },
  "media_type type url target media",
);
const ATTACHMENT: Shape = {
  ...SUBATTACHMENT,
  fields: { ...SUBATTACHMENT.fields, subattachments: SUBATTACHMENT },
  byDefault: [...SUBATTACHMENT.byDefault, "subattachments"],
};
const PERSON = shape("User", "id name", {}, "id name");
const PARENT = shape("Comment", "id message created_time", {}, "id message created_time");
const INSTAGRAM = shape("IGUser", "id username", {}, "id");

export const PageShape = shape(
  "Page",
  "id name access_token category tasks link username fan_count followers_count about is_published verification_status",
  { picture: PICTURE, instagram_business_account: INSTAGRAM },
  "id name",
);
export const AccountShape: Shape = { ...PageShape, byDefault: ["access_token", "category", "name", "id", "tasks"] };
export const UserShape = shape("User", "id name first_name last_name email", { picture: PICTURE }, "id name");

export const PostShape = shape(
  "Post",
  "id message created_time updated_time permalink_url is_published is_hidden scheduled_publish_time full_picture " +
    "status_type promotable_id story",
  {
    attachments: ATTACHMENT,
    from: PERSON,
    application: shape("Application", "id name link", {}, "id name"),
    comments: shape("Comment", "id message created_time", { from: PERSON }, "id message created_time from"),
  },
  "created_time message id",
);

export const PhotoShape = shape(
  "Photo",
  "id name link created_time updated_time alt_text alt_text_custom width height page_story_id published picture",
  { images: shape("PlatformImageSource", "source width height", {}, "source width height"), from: PERSON },
  "created_time name id",
);

const PHASE_ERROR = shape("VideoStatusError", "code message", {}, "code message");
const phase = (name: string, plain: string) =>
  shape(name, plain, { errors: PHASE_ERROR, error: PHASE_ERROR }, `${plain} errors`);
export const VideoShape = shape(
  "Video",
  "id title description created_time updated_time permalink_url post_id published source length content_category " +
    "scheduled_publish_time",
  {
    status: shape(
      "VideoStatus",
      "video_status",
      {
        uploading_phase: phase(
          "VideoStatusUploadingPhase",
          "status bytes_transferred bytes_transfered source_file_size",
        ),
        processing_phase: phase("VideoStatusProcessingPhase", "status"),
        publishing_phase: phase("VideoStatusPublishingPhase", "status publish_status publish_time"),
      },
      "video_status uploading_phase processing_phase publishing_phase",
    ),
    from: PERSON,
  },
  "id description updated_time",
);

export const StoryShape = shape(
  "Story",
  "post_id status creation_time media_type media_id url",
  {},
  "post_id status creation_time media_type media_id url",
);

export const CommentShape = shape(
  "Comment",
  "id message created_time can_reply_privately can_hide can_remove can_comment is_hidden comment_count like_count " +
    "permalink_url user_likes",
  { from: PERSON, parent: PARENT, attachment: ATTACHMENT, object: shape("Post", "id", {}, "id") },
  "created_time from message id",
);
