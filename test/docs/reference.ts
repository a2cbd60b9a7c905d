import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  areaTable,
  assistantScopeTable,
  errorTable,
  eventFieldTable,
  eventTable,
  fieldTables,
  filterTable,
  planTable,
  roleTable,
  scopeTable,
  wildcardTable,
} from './contract-tables.ts';
import {
  guessTable,
  mailTable,
  pagingTable,
  retentionTable,
  sizeTable,
  tierTable,
  timeoutTable,
} from './limit-tables.ts';
import { commandTable, settingTable } from './operator-tables.ts';
import { markdownTable, type Table } from './tables.ts';

const root = path.join(import.meta.dirname, '../..');

/** Generated tables, by the name in their marker. */
const tables: Readonly<Record<string, () => Table>> = {
  errors: errorTable,
  events: eventTable,
  'event fields': eventFieldTable,
  wildcards: wildcardTable,
  scopes: scopeTable,
  'scopes of assistants': assistantScopeTable,
  plans: planTable,
  roles: roleTable,
  areas: areaTable,
  filters: filterTable,
  tiers: tierTable,
  'failed attempts': guessTable,
  'requested emails': mailTable,
  pages: pagingTable,
  retention: retentionTable,
  sizes: sizeTable,
  timeouts: timeoutTable,
  settings: settingTable,
  commands: commandTable,
  ...Object.fromEntries(
    Object.entries(fieldTables()).map(([collection, table]) => [`fields of ${collection}`, () => table]),
  ),
};

export const tableNames = Object.keys(tables);

/** Pages with generated tables. */
export const referencePages = [
  'commands',
  'errors',
  'events',
  'fields',
  'filters',
  'limits',
  'plans',
  'roles',
  'scopes',
  'settings',
].map((name) => `docs/reference/${name}.md`);

export const block = /(<!-- generated: ([a-z ]+) -->\n).*?(<!-- end -->)/gs;

/** Returns the page with its tables as the code has them now. Throws for an unknown table. */
export async function pageOfToday(page: string): Promise<string> {
  const text = await readFile(path.join(root, page), 'utf8');
  return text.replace(block, (_, begin: string, name: string, end: string) => {
    const table = tables[name];
    if (!table) throw new Error(`${page}: there is no table "${name}"`);
    return `${begin}\n${markdownTable(table())}\n\n${end}`;
  });
}

if (import.meta.main)
  for (const page of referencePages) await writeFile(path.join(root, page), await pageOfToday(page));
