// Selectable fields of Facebook objects.

import { type Shape, shape } from "../meta/fields";

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
    "status_type story shares reactions promotable_id is_eligible_for_promotion promotion_status allowed_advertising_objectives",
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
