import { pages } from '../../server/site/pages.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';

/** Every path of the site, with these values for its parameters. */
export const pathsOf = (values: Record<string, string>) =>
  [...new Set([...Object.values(sitePaths), ...pages.map(([path]) => path)])].map((path) =>
    path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace('*', 'x'),
  );

/** Returns copies of `input`, each with one of `ids` in all fields that contain an ID or slug. */
export function withIds(input: Record<string, unknown>, ids: readonly string[]) {
  const named = Object.keys(input).filter((field) => /^(id|.*_id|slug)$/.test(field));
  if (named.length === 0) return [input];
  return ids.map((id) => ({ ...input, ...Object.fromEntries(named.map((field) => [field, id])) }));
}
