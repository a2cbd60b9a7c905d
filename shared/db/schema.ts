/** Names of the PostgreSQL schemas of an installation, for its tables and its job queue. */
interface Schemas {
  tables: string;
  jobs: string;
}

/** Schemas for a URL that names none. The queue is then in Graphile Worker's default schema. */
const usual: Schemas = { tables: 'public', jobs: 'graphile_worker' };

/**
 * Adds the schema to a database URL, so that every connection made with it uses the schema. Throws `TypeError` if
 * `databaseUrl` is not a URL.
 */
export function inSchema(databaseUrl: string, schema: string): string {
  if (schema === schemasOf(databaseUrl).tables) return databaseUrl;
  const address = new URL(databaseUrl);
  address.searchParams.set('schema', schema);
  return address.href;
}

/** Returns the schemas of the installation at a database URL; the default ones if it names none or cannot be parsed. */
export function schemasOf(databaseUrl = ''): Schemas {
  const named = URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('schema') : null;
  if (named === null || named === usual.tables) return usual;
  return { tables: named, jobs: `${named}_jobs` };
}

/**
 * Removes the parameters of a URL, because MikroORM interprets some of them. Throws `TypeError` if `url` is not a
 * URL.
 */
export function withoutParameters(url: string): string {
  const address = new URL(url);
  address.search = '';
  return address.href;
}

export const howToWritePasswords =
  'In a password, percent-encode the characters @ : / ? # % as %40 %3A %2F %3F %23 %25.';

/**
 * Converts a URL with several hosts, separated by commas, to a form that `URL` can parse. All hosts after the first
 * move to the parameter `others`. Returns an empty text if a host is not valid.
 */
export function readableAddress(text: string): string {
  const [, begin = '', hosts = '', rest = ''] = /^([^/]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  const [first = '', ...others] = hosts.split(',');
  const address = `${begin}${first}${rest}`;
  const isGood = others.every((other) => URL.canParse(`postgres://${other}/`) && other !== '');
  if (others.length === 0) return text;
  if (!isGood || !URL.canParse(address)) return '';
  const readable = new URL(address);
  readable.searchParams.set('others', others.join());
  return readable.href;
}
