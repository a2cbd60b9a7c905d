import { readFile } from 'node:fs/promises';
import path from 'node:path';

const packageOf = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** The licences of the packages that these modules come from: they ask to go with every copy. */
export async function licensesOf(modules: readonly string[]): Promise<string> {
  const packages = modules.flatMap((id) => {
    const [, dir, name] = packageOf.exec(id) ?? [];
    return dir && name ? [[name, dir] as const] : [];
  });
  const texts = [...new Map(packages)].map(
    async ([name, dir]) => `${name}\n\n${await readFile(path.join(dir, 'LICENSE'), 'utf8')}`,
  );
  return (await Promise.all(texts)).join('\n---\n\n');
}
