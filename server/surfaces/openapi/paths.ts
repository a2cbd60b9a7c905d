import { typeName } from '../../../shared/contract/names-of.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';

const parameter = /{(\w+)}/g;

export const parametersOf = (path: string) => [...path.matchAll(parameter)].map(([, name = '']) => name);

/**
 * The document's path of each route, by the route's own. Paths that differ only in a parameter's name are one path
 * template, whose parameter has both names: `/api/v1/posts/{id}` and `/api/v1/posts/{slug}` are `/api/v1/posts/{idOrSlug}`.
 */
export function documentPaths(procedures: readonly RestProcedure[]): Map<string, string> {
  const paths = [...new Set(procedures.map(({ meta }) => meta.openapi.path))];
  const same = Map.groupBy(paths, (path) => path.replace(parameter, '{}'));
  return new Map(paths.map((path) => [path, merge(same.get(path.replace(parameter, '{}')) ?? [path])]));
}

function merge(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let position = 0;
  return first.replace(parameter, (_match, name: string) => {
    const names = [name, ...others.map((path) => parametersOf(path)[position] ?? name)];
    position += 1;
    const [shortest = name, ...more] = [...new Set(names)].toSorted();
    return `{${[shortest, ...more.map(typeName)].join('Or')}}`;
  });
}
