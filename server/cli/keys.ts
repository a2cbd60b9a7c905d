import { type Command, InvalidArgumentError } from 'commander';
import { cutText } from '../../shared/contract/cut-text.ts';
import { CreateApiKey } from '../../shared/contract/features/api-keys.ts';
import { type Scope, scopeNames, scopes } from '../../shared/contract/scopes.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { createKey, deleteKey, listKeys, updateKey } from '../accounts/api-keys/store.ts';
import type { StoreDeps } from '../api/deps.ts';
import { checked, type Operate } from './operator-session.ts';
import { findSite, siteIdOf, siteOption } from './sites.ts';
import { table } from './table.ts';

interface KeyOptions {
  site?: string;
}

export function addKeys(program: Command, operate: Operate) {
  const keys = program.command('keys').description('API keys of a site');

  keys
    .command('create')
    .description('create an API key; the full key is shown only once')
    .requiredOption('--name <name>', 'name of the key, such as the program that uses it')
    .requiredOption('--scopes <list>', `scopes, separated by commas: ${scopeNames.join(', ')}`, scopeList)
    .option('--origins <list>', 'allowed origins of requests, separated by commas; default: any', list)
    .option(
      '--expiry <date-time>',
      'time at which the key expires, such as 2027-01-31T00:00:00Z; default: never',
    )
    .option(...siteOption)
    .action(({ site, origins, ...about }: KeyOptions & { origins?: string[] }) =>
      operate.change(siteIdOf(site), async (session, siteId) => {
        const input = checked(CreateApiKey, { ...about, allowed_origins: origins });
        const { key, id } = await createKey(session, siteId, input);
        const message = `${key}\n\nThis is key ${id}. Store it now: only its beginning can be shown again.`;
        return { recordId: id, message };
      }),
    );

  keys
    .command('list')
    .description('list the keys of a site, newest first')
    .option(...siteOption)
    .action(({ site }: KeyOptions) =>
      operate.run(async (session) => {
        const all = await listKeys(session, (await findSite(session, site)).id);
        console.log(table(all.map(shown)));
      }),
    );

  for (const [name, { description, done, change }] of Object.entries(changes)) {
    keys
      .command(`${name} <key>`)
      .description(`${description}, by its id or its beginning`)
      .option(...siteOption)
      .action((named: string, { site }: KeyOptions) =>
        operate.change(siteIdOf(site), async (session, siteId) => {
          const { id, key_prefix } = await findKeyOf(session, siteId, named);
          await change(session, siteId, id);
          return { recordId: id, message: `Key ${key_prefix}… ${done}.` };
        }),
      );
  }
}

type Key = Awaited<ReturnType<typeof listKeys>>[number];

/** Columns of a key for a line of at most 100 characters; studio and API show the rest. */
const shown = ({ id, key_prefix, name, active, expiry, last_used_at, scopes }: Key) => ({
  id,
  key_prefix,
  name: name.length > 12 ? `${cutText(name, 11)}…` : name,
  on: active ? 'yes' : 'no',
  expiry: day(expiry),
  last_used: day(last_used_at),
  scopes: scopes.length > 1 ? `${scopes[0]} +${scopes.length - 1}` : scopes,
});

const day = (timestamp: Date | null) => timestamp?.toISOString().slice(0, 10);

interface Change {
  description: string;
  /** Result, completing the sentence that begins with the key. */
  done: string;
  change(deps: StoreDeps, siteId: string, id: string): Promise<void>;
}

const changes: Record<string, Change> = {
  disable: {
    description: 'disable a key',
    done: 'is disabled',
    change: (deps, siteId, id) => updateKey({ deps, siteId }, { id, active: false }),
  },
  enable: {
    description: 'enable a disabled key',
    done: 'is enabled',
    change: (deps, siteId, id) => updateKey({ deps, siteId }, { id, active: true }),
  },
  delete: { description: 'delete a key permanently', done: 'is deleted', change: deleteKey },
};

async function findKeyOf(deps: StoreDeps, siteId: string, named: string) {
  const matching = (await listKeys(deps, siteId)).filter(
    ({ id, key_prefix }) => named === id || named.startsWith(key_prefix),
  );
  const [key, another] = matching;
  if (!key)
    throw new Error(
      `No key matches ${cutText(named, 21)}: list all keys with \`${opsCommand('keys list')}\`.`,
    );
  if (another) throw new Error(`Several keys match: use an id.\n${table(matching)}`);
  return key;
}

const list = (text: string) => text.split(',').map((entry) => entry.trim());

function scopeList(text: string): Scope[] {
  return list(text).map((name) => {
    const scope = scopeNames.find((item) => item === name);
    if (scope) return scope;
    const known = Object.entries(scopes).map(([each, opens]) => `  ${each.padEnd(26)}${opens}`);
    throw new InvalidArgumentError(`"${name}" is not a scope. Valid scopes:\n${known.join('\n')}`);
  });
}
