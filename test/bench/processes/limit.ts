import Fastify from 'fastify';
import pg from 'pg';

/**
 * Upper bound of Fastify and `pg` for these answers: compiled response schemas, prepared statements, and one key in
 * memory.
 */
const { DATABASE_URL, PORT, SITE_ID, API_KEY } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const app = Fastify();

const columns =
  'id, title, slug, content, excerpt, visibility, published_at, featured, tags, created, updated';

const bySlug = {
  name: 'by_slug',
  text: `select ${columns} from posts where site_id = $1 and is_public and slug = $2`,
};
const page = {
  name: 'page',
  text: `select ${columns} from posts where site_id = $1 and is_public order by created desc, id desc limit 20`,
};
const total = { name: 'total', text: 'select count(*) as total from posts where site_id = $1 and is_public' };

const text = { type: 'string' };
const timestamp = { type: 'string', format: 'date-time' };
const post = {
  type: 'object',
  properties: {
    id: text,
    title: text,
    slug: text,
    content: text,
    excerpt: text,
    visibility: text,
    published_at: timestamp,
    featured: { type: 'boolean' },
    tags: { type: 'array', items: text },
    created: timestamp,
    updated: timestamp,
  },
};
const postPage = {
  type: 'object',
  properties: { data: { type: 'array', items: post }, total: { type: 'number' } },
};

app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${API_KEY}` && request.url !== '/readyz')
    await reply.code(401).send();
});
app.get<{ Params: { slug: string } }>(
  '/posts/:slug',
  { schema: { response: { 200: post } } },
  async (request) => (await pool.query({ ...bySlug, values: [SITE_ID, request.params.slug] })).rows[0],
);
app.get('/posts', { schema: { response: { 200: postPage } } }, async () => ({
  data: (await pool.query({ ...page, values: [SITE_ID] })).rows,
}));
app.get('/posts-with-total', { schema: { response: { 200: postPage } } }, async () => {
  const [posts, count] = await Promise.all([
    pool.query({ ...page, values: [SITE_ID] }),
    pool.query({ ...total, values: [SITE_ID] }),
  ]);
  return { data: posts.rows, total: Number(count.rows[0].total) };
});
app.get('/readyz', () => ({ status: 'ready' }));
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
