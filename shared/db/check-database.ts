import { randomUUID } from 'node:crypto';
import { howToWritePasswords, schemasOf } from './schema.ts';
import { SessionClient } from './session.ts';

const oldestVersion = 15;

/** Extension that the indexes need. Migrations install it. */
const extension = 'btree_gin';

/** Time limit for connecting and for each query, in milliseconds. After it the database counts as unreachable. */
const timeoutMs = 10_000;

/** Facts about a database that decide whether the service can use it. */
interface DatabaseState {
  version: number;
  encoding: string;
  role: string;
  has_icu: boolean;
  has_extension: boolean;
  brings_extension: boolean;
  may_extend: boolean;
  has_schema: boolean;
  may_create: boolean;
  is_read_only: boolean;
}

/**
 * Checks a database before the service uses it. Throws an error with instructions if it is unreachable or unsuitable. A
 * read-only database causes a warning only, because pages can be served from it.
 */
export async function checkDatabase(url: string, log: { warn(message: string): void }): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const open = async () => {
    const client = new SessionClient({
      connectionString: url,
      application_name: 'check',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    await client.connect();
    stack.defer(() => client.end());
    return client;
  };
  try {
    const [one, two] = [await open(), await open()];
    const found = await look(one, url);
    refuseUnfit(found, url);
    await refuseSharedSessions(one, two);
    if (found.is_read_only) log.warn(readOnly);
  } catch (cause) {
    if (cause instanceof UnsuitableDatabaseError) throw cause;
    const message = `Database unavailable: ${reasonOf(cause)}. Check that PostgreSQL is running and DATABASE_URL is correct.`;
    throw new Error(isMisread(cause) ? `${message} ${howToWritePasswords}` : message, { cause });
  }
}

/** Error for a database that is reachable but unsuitable. Its message is complete, so it is not wrapped. */
class UnsuitableDatabaseError extends Error {}

const readOnly =
  'The database is read-only: it is a standby, or default_transaction_read_only is on. Pages are served, but nothing is stored, published or delivered until DATABASE_URL points to a database that accepts writes.';

async function look(client: SessionClient, url: string): Promise<DatabaseState> {
  const { tables } = schemasOf(url);
  const { rows } = await client.query<DatabaseState>(
    `select current_setting('server_version_num')::integer / 10000 as version,
      current_setting('server_encoding') as encoding,
      current_user::text as role,
      exists (select from pg_collation where collname = 'und-x-icu') as has_icu,
      exists (select from pg_extension where extname = $2) as has_extension,
      exists (select from pg_available_extensions where name = $2) as brings_extension,
      has_database_privilege(current_database(), 'create') as may_extend,
      to_regnamespace($1) is not null as has_schema,
      case when to_regnamespace($1) is null then has_database_privilege(current_database(), 'create')
        else has_schema_privilege($1, 'create') end as may_create,
      current_setting('transaction_read_only') = 'on' as is_read_only`,
    [tables, extension],
  );
  const [found] = rows;
  if (!found) throw new Error('PostgreSQL returned no row');
  return found;
}

function refuseUnfit({ version, encoding, role, ...found }: DatabaseState, url: string) {
  const { tables } = schemasOf(url);
  if (version < oldestVersion)
    throw new UnsuitableDatabaseError(
      `The database is PostgreSQL ${version}, but version ${oldestVersion} or newer is required.`,
    );
  if (encoding !== 'UTF8')
    throw new UnsuitableDatabaseError(
      `The database has the encoding ${encoding}, but UTF8 is required: create a database with \`create database … encoding 'UTF8' template template0\`.`,
    );
  if (!found.has_icu)
    throw new UnsuitableDatabaseError(
      'PostgreSQL was built without ICU, which is required to sort titles: use a build with ICU, such as the package of your Linux distribution.',
    );
  if (found.is_read_only) return;
  if (!found.may_create)
    throw new UnsuitableDatabaseError(
      found.has_schema
        ? `Permission denied: the user ${role} cannot create tables in the schema ${tables}. Run \`grant create, usage on schema ${tables} to "${role}"\` as the owner of the schema, or set DATABASE_SCHEMA to another schema.`
        : `The schema ${tables} does not exist, and the user ${role} has no permission to create it: run \`create schema ${tables} authorization "${role}"\` as the database's owner.`,
    );
  if (found.has_extension) return;
  if (!found.brings_extension)
    throw new UnsuitableDatabaseError(
      `PostgreSQL lacks the extension ${extension}: install the package with PostgreSQL's extensions, often called postgresql-contrib.`,
    );
  if (!found.may_extend)
    throw new UnsuitableDatabaseError(
      `The extension ${extension} is not installed, and the user ${role} has no permission to install it: run \`create extension ${extension}\` in this database as its owner.`,
    );
}

/**
 * Throws if a pooler lends connections per transaction. Two clients then share one session, so each sees the settings
 * of the other and loses its own.
 */
async function refuseSharedSessions(one: SessionClient, two: SessionClient) {
  const mark = randomUUID();
  await one.query(`select set_config('content_service.mark', $1, false)`, [mark]);
  const { rows } = await two.query<{ mark: string | null }>(
    `select current_setting('content_service.mark', true) as mark`,
  );
  if (rows[0]?.mark === mark)
    throw new UnsuitableDatabaseError(
      'DATABASE_URL points to a connection pooler in transaction or statement mode: set `pool_mode = session` for this database.',
    );
}

/**
 * True for the errors that unencoded special characters in a password cause: the host is not found, or the password is
 * refused.
 */
const isMisread = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && ['ENOTFOUND', 'EAI_AGAIN', '28P01'].includes(String(error.code))) ||
    isMisread(error.cause));

/**
 * Reason of a connection error. For a host name with several addresses, the error contains one error per address and no
 * message of its own.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
