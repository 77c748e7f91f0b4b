import { GetToken } from "../access/operations/get-token.ts";
import { GetTokens } from "../access/operations/get-tokens.ts";
import { CreateCommentAutomation } from "../automations/operations/create-comment-automation.ts";
import { DeleteCommentAutomation } from "../automations/operations/delete-comment-automation.ts";
import { GetCommentAutomation } from "../automations/operations/get-comment-automation.ts";
import { GetCommentAutomationReplies } from "../automations/operations/get-comment-automation-replies.ts";
import { GetCommentAutomations } from "../automations/operations/get-comment-automations.ts";
import { TestCommentAutomation } from "../automations/operations/test-comment-automation.ts";
import { UpdateCommentAutomation } from "../automations/operations/update-comment-automation.ts";
import { CreateCampaign } from "../boosts/operations/create-campaign.ts";
import { DeleteCampaign } from "../boosts/operations/delete-campaign.ts";
import { GetAdAccounts } from "../boosts/operations/get-ad-accounts.ts";
import { GetCampaign } from "../boosts/operations/get-campaign.ts";
import { GetCampaigns } from "../boosts/operations/get-campaigns.ts";
import { GetCountries } from "../boosts/operations/get-countries.ts";
import { GetInstagramPostEligibility } from "../boosts/operations/get-instagram-post-eligibility.ts";
import { GetReachEstimate } from "../boosts/operations/get-reach-estimate.ts";
import { SearchInterests } from "../boosts/operations/search-interests.ts";
import { UpdateCampaign } from "../boosts/operations/update-campaign.ts";
import { ValidateBudget } from "../boosts/operations/validate-budget.ts";
import { DeleteChannel } from "../channels/operations/delete-channel.ts";
import { GetChannels } from "../channels/operations/get-channels.ts";
import { DeleteComment } from "../comments/operations/delete-comment.ts";
import { GetComment } from "../comments/operations/get-comment.ts";
import { GetCommentEvents } from "../comments/operations/get-comment-events.ts";
import { GetComments } from "../comments/operations/get-comments.ts";
import { HideComment } from "../comments/operations/hide-comment.ts";
import { LikeComment } from "../comments/operations/like-comment.ts";
import { ReplyToComment } from "../comments/operations/reply-to-comment.ts";
import { UnhideComment } from "../comments/operations/unhide-comment.ts";
import { UnlikeComment } from "../comments/operations/unlike-comment.ts";
import { UpdateComment } from "../comments/operations/update-comment.ts";
import { ConnectChannel } from "../connect/operations/connect-channel.ts";
import { ConnectStatus } from "../connect/operations/connect-status.ts";
import { GetConversation } from "../conversations/operations/get-conversation.ts";
import { GetConversationEvents } from "../conversations/operations/get-conversation-events.ts";
import { GetConversations } from "../conversations/operations/get-conversations.ts";
import { GetMessages } from "../conversations/operations/get-messages.ts";
import { SendMessage } from "../conversations/operations/send-message.ts";
import { UpdateConversation } from "../conversations/operations/update-conversation.ts";
import { CompleteUpload } from "../files/operations/complete-upload.ts";
import { CreateUpload } from "../files/operations/create-upload.ts";
import { DeleteMedia } from "../files/operations/delete-media.ts";
import { DeleteUpload } from "../files/operations/delete-upload.ts";
import { GetMedia } from "../files/operations/get-media.ts";
import { GetUpload } from "../files/operations/get-upload.ts";
import { ListMedia } from "../files/operations/list-media.ts";
import { UpdateMedia } from "../files/operations/update-media.ts";
import { UploadMedia } from "../files/operations/upload-media.ts";
import { UploadPart } from "../files/operations/upload-part.ts";
import { CreatePostGeneration } from "../generations/operations/create-post-generation.ts";
import { DeletePostGeneration } from "../generations/operations/delete-post-generation.ts";
import { GetPostGeneration } from "../generations/operations/get-post-generation.ts";
import { GetPostGenerations } from "../generations/operations/get-post-generations.ts";
import type { Operation } from "../http/operation.ts";
import { ExportInsights } from "../insights/operations/export-insights.ts";
import { GetBestTimes } from "../insights/operations/get-best-times.ts";
import { GetChannelInsights } from "../insights/operations/get-channel-insights.ts";
import { GetPostInsights } from "../insights/operations/get-post-insights.ts";
import { GetTopPosts } from "../insights/operations/get-top-posts.ts";
import { ApprovePost } from "../posts/operations/approve-post.ts";
import { CreateApprovalLink } from "../posts/operations/create-approval-link.ts";
import { CreateFeed } from "../posts/operations/create-feed.ts";
import { CreatePost } from "../posts/operations/create-post.ts";
import { CreatePosts } from "../posts/operations/create-posts.ts";
import { CreateSeries } from "../posts/operations/create-series.ts";
import { DeleteApprovalLink } from "../posts/operations/delete-approval-link.ts";
import { DeleteFeed } from "../posts/operations/delete-feed.ts";
import { DeleteImport } from "../posts/operations/delete-import.ts";
import { DeletePost } from "../posts/operations/delete-post.ts";
import { DeleteSeries } from "../posts/operations/delete-series.ts";
import { ExplainPost } from "../posts/operations/explain-post.ts";
import { FindPost } from "../posts/operations/find-post.ts";
import { GetApprovals } from "../posts/operations/get-approvals.ts";
import { GetChannelTimetable } from "../posts/operations/get-channel-timetable.ts";
import { GetFeed } from "../posts/operations/get-feed.ts";
import { GetFeedEvents } from "../posts/operations/get-feed-events.ts";
import { GetFeeds } from "../posts/operations/get-feeds.ts";
import { GetImport } from "../posts/operations/get-import.ts";
import { GetPlatforms } from "../posts/operations/get-platforms.ts";
import { GetPostEvents } from "../posts/operations/get-post-events.ts";
import { GetPostingOptions } from "../posts/operations/get-posting-options.ts";
import { GetPosts } from "../posts/operations/get-posts.ts";
import { GetSeries } from "../posts/operations/get-series.ts";
import { GetSeriesEvents } from "../posts/operations/get-series-events.ts";
import { ImportPosts } from "../posts/operations/import-posts.ts";
import { ListSeries } from "../posts/operations/list-series.ts";
import { ProposePost } from "../posts/operations/propose-post.ts";
import { RequestApproval } from "../posts/operations/request-approval.ts";
import { RetryPost } from "../posts/operations/retry-post.ts";
import { SendBackPost } from "../posts/operations/send-back-post.ts";
import { StartImport } from "../posts/operations/start-import.ts";
import { UpcomingPosts } from "../posts/operations/upcoming-posts.ts";
import { UpdateChannelTimetable } from "../posts/operations/update-channel-timetable.ts";
import { UpdateFeed } from "../posts/operations/update-feed.ts";
import { UpdatePost } from "../posts/operations/update-post.ts";
import { UpdateSeries } from "../posts/operations/update-series.ts";
import { ValidatePost } from "../posts/operations/validate-post.ts";
import { ValidatePosts } from "../posts/operations/validate-posts.ts";
import { GetUsage } from "../usage/operations/get-usage.ts";
import { CreateWebhook } from "../webhooks/operations/create-webhook.ts";
import { DeleteWebhook } from "../webhooks/operations/delete-webhook.ts";
import { GetDelivery } from "../webhooks/operations/get-delivery.ts";
import { GetWebhook } from "../webhooks/operations/get-webhook.ts";
import { GetWebhookDeliveries } from "../webhooks/operations/get-webhook-deliveries.ts";
import { GetWebhooks } from "../webhooks/operations/get-webhooks.ts";
import { ReplayDelivery } from "../webhooks/operations/replay-delivery.ts";
import { ReplayWebhook } from "../webhooks/operations/replay-webhook.ts";
import { RotateGenerationSecret } from "../webhooks/operations/rotate-generation-secret.ts";
import { RotateWebhookSecret } from "../webhooks/operations/rotate-webhook-secret.ts";
import { TestWebhook } from "../webhooks/operations/test-webhook.ts";
import { UpdateWebhook } from "../webhooks/operations/update-webhook.ts";
import { UpdateChannel } from "./update-channel.ts";

/** All operations of the API, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  ConnectChannel,
  ConnectStatus,
  GetChannels,
  UpdateChannel,
  DeleteChannel,
  GetChannelTimetable,
  UpdateChannelTimetable,
  GetPlatforms,
  GetPostingOptions,
  GetPosts,
  FindPost,
  UpcomingPosts,
  GetPostEvents,
  ExplainPost,
  CreatePost,
  UpdatePost,
  ValidatePost,
  RetryPost,
  DeletePost,
  CreatePosts,
  ValidatePosts,
  ImportPosts,
  StartImport,
  GetImport,
  DeleteImport,
  CreateSeries,
  UpdateSeries,
  GetSeries,
  ListSeries,
  GetSeriesEvents,
  DeleteSeries,
  CreateFeed,
  UpdateFeed,
  GetFeed,
  GetFeeds,
  GetFeedEvents,
  DeleteFeed,
  ProposePost,
  RequestApproval,
  ApprovePost,
  SendBackPost,
  CreateApprovalLink,
  DeleteApprovalLink,
  GetApprovals,
  GetPostInsights,
  GetChannelInsights,
  GetTopPosts,
  GetBestTimes,
  ExportInsights,
  GetComments,
  GetComment,
  GetCommentEvents,
  ReplyToComment,
  HideComment,
  UnhideComment,
  LikeComment,
  UnlikeComment,
  DeleteComment,
  UpdateComment,
  GetConversations,
  GetConversation,
  GetMessages,
  GetConversationEvents,
  SendMessage,
  UpdateConversation,
  UploadMedia,
  CreateUpload,
  UploadPart,
  GetUpload,
  CompleteUpload,
  DeleteUpload,
  ListMedia,
  GetMedia,
  UpdateMedia,
  DeleteMedia,
  CreateCommentAutomation,
  GetCommentAutomations,
  GetCommentAutomation,
  UpdateCommentAutomation,
  DeleteCommentAutomation,
  GetCommentAutomationReplies,
  TestCommentAutomation,
  CreatePostGeneration,
  GetPostGenerations,
  GetPostGeneration,
  DeletePostGeneration,
  CreateCampaign,
  UpdateCampaign,
  GetInstagramPostEligibility,
  GetCampaigns,
  GetCampaign,
  DeleteCampaign,
  GetAdAccounts,
  GetCountries,
  SearchInterests,
  GetReachEstimate,
  ValidateBudget,
  CreateWebhook,
  GetWebhooks,
  GetWebhook,
  UpdateWebhook,
  DeleteWebhook,
  RotateWebhookSecret,
  RotateGenerationSecret,
  GetWebhookDeliveries,
  GetDelivery,
  TestWebhook,
  ReplayDelivery,
  ReplayWebhook,
  GetUsage,
  GetToken,
  GetTokens,
];
