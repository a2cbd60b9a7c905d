import type { ToolMeta } from '../../kernel/meta.ts';

type Verb = 'list' | 'get' | 'create' | 'update' | 'delete';

/** The tool of a resource: `list_posts`, `get_post` … */
export function toolOf(verb: Verb, { name, collection }: { name: string; collection: string }): ToolMeta {
  const one = name.replaceAll(' ', '_');
  return {
    name: `${verb}_${verb === 'list' ? collection : one}`,
    resource: collection,
    ...(verb === 'update' && { advice: `Fields as in create_${one}.` }),
  };
}
