/** Where an installation's tables are, and those of its job queue. */
interface Schemas {
  tables: string;
  jobs: string;
}

/** Of an address that names none, and then the queue is where Graphile Worker has it by itself. */
const usual: Schemas = { tables: 'public', jobs: 'graphile_worker' };

/** The address with the schema in it, so that whatever is opened by it works there. */
export function inSchema(databaseUrl: string, schema: string): string {
  if (schema === schemasOf(databaseUrl).tables) return databaseUrl;
  const address = new URL(databaseUrl);
  address.searchParams.set('schema', schema);
  return address.href;
}

/** The schemas of the installation at an address. */
export function schemasOf(databaseUrl = ''): Schemas {
  const named = URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('schema') : null;
  if (named === null || named === usual.tables) return usual;
  return { tables: named, jobs: `${named}_jobs` };
}

/** MikroORM reads some of an address by itself. */
export function withoutParameters(url: string): string {
  const address = new URL(url);
  address.search = '';
  return address.href;
}

export const howToWritePasswords =
  'In a password, percent-encode the characters @ : / ? # % as %40 %3A %2F %3F %23 %25.';

/**
 * The address with its hosts behind the first, between commas, in a parameter of its own: of the form that PostgreSQL's own
 * programs take, no `URL` can be made. Empty where one of the hosts is none.
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
