import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import { createKey } from '../../../server/accounts/api-keys/store.ts';
import { startSession } from '../../../server/accounts/sessions/store.ts';
import { createOwner, listStaff } from '../../../server/accounts/sites/owners.ts';
import { createSite } from '../../../server/accounts/sites/store.ts';
import type { StoreDeps } from '../../../server/api/deps.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { scopeNames } from '../../../shared/contract/scopes.ts';
import { firefox } from '../rpc.ts';
import { nobodysBrowser } from '../seed.ts';

/** Attack by one site or its visitors on all other sites of the process. */
export interface Attack {
  name: string;
  /** True if the site first gets the maximum amount of content. */
  isFull?: true;
  /** Prepares the attack. This is not measured. */
  prepare?(site: Offender): Promise<void>;
  /** Sends the requests of one of the concurrent attackers, with the number `at`. */
  send(site: Attacker, at: number): Promise<unknown>;
  /** Number of concurrent attackers; 4 if omitted. */
  atOnce?: number;
  /** True if the attack needs a long time to begin, such as the upload of a large file. */
  isSlow?: true;
}

/** Creates a site whose owner or visitors attack. */
export async function createOffender(deps: StoreDeps) {
  const host = `${randomUUID()}.example`;
  const siteId = await createSite(deps, { name: 'An attacker', plan: 'pro', custom_domain: host });
  const { key } = await createKey(deps, siteId, { name: 'attacks', scopes: [...scopeNames] });
  const person = { email: `${randomUUID()}@example.com`, name: 'Mallory' };
  await createOwner(deps, siteId, { ...person, password: randomUUID() });
  const [owner] = await listStaff(deps, siteId);
  if (!owner) throw new Error('the new owner was not found');
  const { token } = await startSession(deps, owner, nobodysBrowser);
  return { deps, host, siteId, key, token };
}

export type Offender = Awaited<ReturnType<typeof createOffender>>;

interface Request {
  method?: string;
  /** Body; sent as JSON, except text and bytes. */
  body?: unknown;
  as?: 'key' | 'owner' | 'visitor';
  headers?: Record<string, string>;
}

/**
 * Returns the calls with which a site attacks until `over` aborts. `answered` is called with the status of each answer.
 */
export function attackFrom(
  offender: Offender,
  { baseUrl, over, answered }: { baseUrl: string; over: AbortSignal; answered(status: number): void },
) {
  const { host, key, token } = offender;
  const pool = new Pool(baseUrl, { connections: 64, headersTimeout: 120_000, bodyTimeout: 120_000 });
  const open = async (path: string, { method, body, as = 'key', headers = {} }: Request) => {
    const answer = await pool.request({
      path,
      signal: over,
      method: (method ?? (body === undefined ? 'GET' : 'POST')) as Dispatcher.HttpMethod,
      headers: {
        host,
        'user-agent': firefox,
        ...(as !== 'visitor' && { authorization: `Bearer ${as === 'key' ? key : token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isPlain(body) ? body : JSON.stringify(body),
    });
    answered(answer.statusCode);
    return answer.body;
  };
  /** Sends a request and reads its whole answer. */
  const request = async (path: string, request: Request = {}): Promise<void> => {
    for await (const _ of await open(path, request));
  };
  const ticketFor = async (move: 'check' | 'import' | 'export'): Promise<string> => {
    const answer = await open(`/trpc/studio.transfers.${move}`, { as: 'owner', body: { json: {} } });
    return Ticket.parse(await answer.json()).result.data.json.url;
  };
  return {
    ...offender,
    baseUrl,
    over,
    ask: request,
    /** Downloads the archive of the site. */
    download: async () => request(await ticketFor('export'), { as: 'visitor' }),
    /** Uploads a file to be imported or checked. */
    upload: async (move: 'check' | 'import', file: Buffer) =>
      request(await ticketFor(move), { as: 'visitor', body: file }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

export type Attacker = ReturnType<typeof attackFrom>;

const Ticket = z.object({
  result: z.object({ data: z.object({ json: z.object({ url: z.string() }) }) }),
});

const isPlain = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body);

/** Values of each record, and the number of records. */
export type RecordValues = Record<string, unknown> & { count: number };

/** Inserts many records with the same content. Their slugs differ. */
export async function addRecords(
  { deps, siteId }: Pick<Offender, 'deps' | 'siteId'>,
  { collection, fields }: Resource,
  { count, ...values }: RecordValues,
): Promise<void> {
  const row: Record<string, unknown> = { ...unsetValues(fields), visibility: 'public', ...values };
  const names = Object.keys(row).filter((name) => name in fields);
  const columns = names.map((name) => (name === 'slug' ? sql`'r-' || n` : sql.ref(`r.${name}`)));
  // Limits the rows per statement, because statements have a time limit.
  const atOnce = Math.max(1, Math.floor(40_000_000 / (JSON.stringify(row).length + 12_000)));
  for (let first = 1; first <= count; first += atOnce)
    await sql`
      insert into ${sql.table(collection)} (site_id, id, ${sql.join(names.map((name) => sql.ref(name)))}, created, updated)
      select ${siteId}, lpad(n::text, 15, '0'), ${sql.join(columns)}, moment, moment
      from generate_series(${first}::integer, ${Math.min(first + atOnce - 1, count)}::integer) n,
        lateral (select timestamptz '2025-01-01' + n * interval '1 minute' as moment) times,
        json_populate_record(null::${sql.table(collection)}, ${JSON.stringify(row)}::json) r`.execute(
      deps.database.em.getKysely(),
    );
}

/** Repeats a piece up to `length` characters. */
export const repeatText = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
