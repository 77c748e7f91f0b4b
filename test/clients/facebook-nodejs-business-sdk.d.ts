/** What these tests use of Meta's SDK, which brings no types of its own. */
declare module "facebook-nodejs-business-sdk" {
  type Params = Record<string, unknown>;

  export class FacebookAdsApi {
    static readonly GRAPH: string;
    static init(accessToken: string, locale?: string, crashLog?: boolean): FacebookAdsApi;
    constructor(accessToken: string, locale?: string, crashLog?: boolean);
    call(method: string, path: string[], params?: Params): Promise<unknown>;
  }

  class Node {
    constructor(id: string, data?: Params, parentId?: string | null, api?: FacebookAdsApi);
    readonly id: string;
    readonly _data: unknown;
    get(fields: string[], params?: Params): Promise<Node>;
    update(fields: string[], params?: Params): Promise<unknown>;
    delete(fields: string[], params?: Params): Promise<unknown>;
  }

  export class User extends Node {
    getAccounts(fields: string[], params?: Params): Promise<Page[]>;
    getAdAccounts(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class Page extends Node {
    createFeed(fields: string[], params: Params): Promise<Node>;
    createPhoto(fields: string[], params: Params): Promise<Node>;
    createVideo(fields: string[], params: Params): Promise<Node>;
    createVideoReel(fields: string[], params: Params): Promise<Node>;
    createPhotoStory(fields: string[], params: Params): Promise<Node>;
    getPublishedPosts(fields: string[], params?: Params): Promise<Node[]>;
    getStories(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class PagePost extends Node {
    createComment(fields: string[], params: Params): Promise<Node>;
    getComments(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class Comment extends Node {
    createComment(fields: string[], params: Params): Promise<Node>;
  }

  export class IGUser extends Node {
    getContentPublishingLimit(fields: string[], params?: Params): Promise<Node[]>;
    createMedia(fields: string[], params: Params): Promise<Node>;
    createMediaPublish(fields: string[], params: Params): Promise<Node>;
    getMedia(fields: string[], params?: Params): Promise<Node[]>;
    getStories(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class IGMedia extends Node {
    getChildren(fields: string[], params?: Params): Promise<Node[]>;
    createComment(fields: string[], params: Params): Promise<Node>;
    getComments(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class IGComment extends Node {
    createReply(fields: string[], params: Params): Promise<Node>;
    getReplies(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class AdAccount extends Node {
    createCampaign(fields: string[], params: Params): Promise<Node>;
    createAdSet(fields: string[], params: Params): Promise<Node>;
    createAdCreative(fields: string[], params: Params): Promise<Node>;
    createAd(fields: string[], params: Params): Promise<Node>;
    getCampaigns(fields: string[], params?: Params): Promise<Node[]>;
    getMinimumBudgets(fields: string[], params?: Params): Promise<Node[]>;
    getDeliveryEstimate(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class Campaign extends Node {
    getAdSets(fields: string[], params?: Params): Promise<Node[]>;
    getInsights(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class AdSet extends Node {
    getAds(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class AdCreative extends Node {}

  export class Ad extends Node {
    getInsights(fields: string[], params?: Params): Promise<Node[]>;
  }

  export class AdVideo {
    constructor(id: string, data?: Params, parentId?: string | null, api?: FacebookAdsApi);
    read(fields: string[], params?: Params): Promise<Node>;
    delete(params?: Params): Promise<unknown>;
  }

  export class FacebookAdsApiBatch {
    constructor(api: FacebookAdsApi);
    add(
      method: string,
      path: string[],
      params?: Params,
      files?: Params,
      onSuccess?: (answer: { body: unknown }) => void,
      onFailure?: (answer: { body: unknown }) => void,
    ): unknown;
    execute(): Promise<unknown>;
  }
}
