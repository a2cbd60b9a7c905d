import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, transformWithOxc } from 'vite';
import { values } from '../../sdk/values.ts';
import { firstLists } from '../kinds/list/first-lists.ts';

/** Puts `early.ts` into the page, with what it has to know of lists. */
export const early = (): Plugin => ({
  name: 'early',
  async transformIndexHtml(html) {
    const source = await readFile(join(import.meta.dirname, '..', 'early.ts'), 'utf8');
    const { code } = await transformWithOxc(source, 'early.ts');
    const lists = Object.entries(firstLists).map(([collection, { input, ...list }]) => [
      collection,
      { ...list, input: values.serialize(input) },
    ]);
    const known = `const firstLists = ${JSON.stringify(Object.fromEntries(lists))}`;
    return html.replace('__EARLY__', () => `${known};\n${code}`);
  },
});
