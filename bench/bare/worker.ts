import { Hono } from "hono";

/**
 * The minimum cost of a read on this runtime: the router, one D1 call, one JSON response, one log line. It
 * has no token, rate limit or validation. `npm run bench` compares the service with it.
 */
const app = new Hono<{ Bindings: { readonly DB: D1Database } }>();

app.get("/healthz", (c) => c.json({ status: true }));

app.post("/fill/:count", async (c) => {
  await c.env.DB.exec("CREATE TABLE posts (id INTEGER PRIMARY KEY, channel_type TEXT, state TEXT, permalink TEXT)");
  await c.env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO posts SELECT n, 'facebook', 'published', 'https://www.facebook.com/1/posts/' || n FROM numbers`,
  )
    .bind(Number(c.req.param("count")))
    .run();
  return c.json({ status: true });
});

app.get("/post/:id", async (c) => {
  const post = await c.env.DB.prepare("SELECT * FROM posts WHERE id = ?")
    .bind(Number(c.req.param("id")))
    .first();
  // As in the service: wrangler reads every line, which costs far more than the Worker's write.
  console.log(JSON.stringify({ event: "request", requestId: crypto.randomUUID(), method: c.req.method, status: 200 }));
  return c.json({ post, status: true });
});

export default app;
