declare const brand: unique symbol;
type Id<Name extends string> = number & { readonly [brand]: Name };

/** Typed ids, so that a channel id is not accepted as a post id. All are positive integers. */
export type UserId = Id<"user">;
export type ProjectId = Id<"project">;
export type TokenId = Id<"token">;
export type ChannelId = Id<"channel">;
export type PostId = Id<"post">;
export type FileId = Id<"file">;
export type AutomationId = Id<"automation">;
export type CommentId = Id<"comment">;
export type CommentActId = Id<"comment act">;
export type ReplyId = Id<"reply">;
export type WebhookId = Id<"webhook">;
export type DeliveryId = Id<"delivery">;
export type GenerationId = Id<"generation">;
export type CampaignId = Id<"campaign">;
export type PersonId = Id<"person">;
export type SessionId = Id<"session">;
export type InvitationId = Id<"invitation">;
export type SpendingId = Id<"spending">;
export type AccessRequestId = Id<"access request">;
export type PasskeyId = Id<"passkey">;
export type ImportId = Id<"import">;
export type SeriesId = Id<"series">;
export type FeedId = Id<"feed">;
export type ConversationId = Id<"conversation">;
export type MessageId = Id<"message">;

/** Types a number as the id of a resource; the caller guarantees the kind. */
export function idOf<T extends Id<string>>(value: number): T {
  return value as T;
}
