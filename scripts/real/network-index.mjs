import { serve } from "./serve.mjs";

/**
 * A stand-in for the network's index, which cannot run here: it reads the records of the accounts that it is
 * notified of from their servers, and answers the two calls by which replies are read.
 */
export function startIndex(port, { agents, accounts }) {
  const views = async () => {
    const all = [];
    for (const { did, handle, server } of accounts) {
      const listed = await agents[server].com.atproto.repo
        .listRecords({ repo: did, collection: "app.bsky.feed.post", limit: 100 })
        .catch(() => null);
      for (const { uri, cid, value } of listed?.data.records ?? []) {
        all.push({ uri, cid, author: { did, handle, displayName: handle }, record: value, indexedAt: value.createdAt });
      }
    }
    return all;
  };
  const threadOf = (all, post) => ({
    $type: "app.bsky.feed.defs#threadViewPost",
    post,
    replies: all.filter(({ record }) => record.reply?.parent.uri === post.uri).map((reply) => threadOf(all, reply)),
  });
  serve(port, async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const answer = (status, body) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const all = await views();
    if (url.pathname.endsWith("app.bsky.feed.getPosts")) {
      const wanted = url.searchParams.getAll("uris");
      return answer(200, { posts: all.filter(({ uri }) => wanted.includes(uri)) });
    }
    if (url.pathname.endsWith("app.bsky.feed.getPostThread")) {
      const root = all.find(({ uri }) => uri === url.searchParams.get("uri"));
      return root
        ? answer(200, { thread: threadOf(all, root) })
        : answer(400, { error: "NotFound", message: "Post not found" });
    }
    // Of an account that a server does not hold, or shows no more, the server asks the index.
    if (url.pathname.endsWith("com.atproto.repo.getRecord")) {
      const [repo, collection, rkey] = ["repo", "collection", "rkey"].map((name) => url.searchParams.get(name));
      const message = `Could not locate record: at://${repo}/${collection}/${rkey}`;
      return answer(400, { error: "InvalidRequest", message });
    }
    return answer(501, { error: "MethodNotImplemented", message: "Method Not Implemented" });
  });
}
