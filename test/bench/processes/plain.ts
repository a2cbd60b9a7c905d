import { createHash } from 'node:crypto';
import Fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';

/** Minimal server for these two answers: Fastify, `pg`, and the service's own SQL. */
const { DATABASE_URL, PORT, SITE_ID } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const app = Fastify();

const keySql = `
  select k.id, k.site_id, k.key_prefix, k.scopes, k.allowed_origins, k.active, k.expiry, k.last_used_at, s.plan, s.mcp_enabled
  from api_keys k join sites s on s.id = k.site_id
  where (k.key_hash = $1 or (k.previous_key_hash = $1 and k.previous_key_expires_at > $2))
    and not exists (select from sites other where other.id <> k.site_id and (other.custom_domain = $3 or other.subdomain = $4))`;

const columns =
  'id, title, slug, content, excerpt, visibility, published_at, featured, tags, access_tier, created, updated';

const listSql = `select ${columns} from posts where site_id = $1 and visibility = $2 and not is_draft
  order by created desc, id desc limit $3`;

const countSql =
  'select count(*) as total from posts where site_id = $1 and visibility = $2 and not is_draft';

const bySlugSql = `select ${columns} from posts where site_id = $1 and visibility = $2 and not is_draft and slug = $3`;

async function siteOf(request: FastifyRequest): Promise<string> {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const hash = createHash('sha256').update(secret).digest('hex');
  const { rows } = await pool.query(keySql, [hash, new Date(), '127.0.0.1', '']);
  if (!rows[0]) throw new Error('unknown key');
  return rows[0].site_id;
}

async function list(siteId: string) {
  const [page, total] = await Promise.all([
    pool.query(listSql, [siteId, 'public', 21]),
    pool.query(countSql, [siteId, 'public']),
  ]);
  const data = page.rows.slice(0, 20).map(({ access_tier: _, ...post }) => post);
  return {
    data,
    total: Number(total.rows[0].total),
    count: data.length,
    per_page: 20,
    next_cursor: data.at(-1)?.id,
  };
}

async function bySlug(siteId: string, slug: string) {
  const { rows } = await pool.query(bySlugSql, [siteId, 'public', slug]);
  const { access_tier: _, ...post } = rows[0];
  return post;
}

app.get('/posts', async (request) => list(await siteOf(request)));
app.get<{ Params: { slug: string } }>('/posts/:slug', async (request) =>
  bySlug(await siteOf(request), request.params.slug),
);

/** Answers from memory with equal bytes: the upper bound of Fastify. */
const listBytes = JSON.stringify(await list(SITE_ID ?? ''));
const postBytes = JSON.stringify(await bySlug(SITE_ID ?? '', 'post-500'));
app.get('/memory/posts', (_request, reply) => reply.type('application/json; charset=utf-8').send(listBytes));
app.get('/memory/post', (_request, reply) => reply.type('application/json; charset=utf-8').send(postBytes));
app.get('/memory/unchanged', (_request, reply) => reply.code(304).send());
app.get('/readyz', () => ({ status: 'ready' }));
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
