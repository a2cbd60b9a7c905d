import type { ToolMeta } from '../../kernel/meta.ts';

interface About {
  name: string;
  collection: string;
}

/** `list_posts` */
export const listTool = ({ collection }: About): ToolMeta => ({
  name: `list_${collection}`,
  resource: collection,
});

/** `get_post` */
export const getTool = (about: About) => recordTool('get', about);

/** `create_post` */
export const createTool = (about: About) => recordTool('create', about);

/** `update_post` */
export const updateTool = (about: About) =>
  recordTool('update', about, `Fields as in ${createTool(about).name}.`);

/** `delete_post` */
export const deleteTool = (about: About) => recordTool('delete', about);

function recordTool(verb: string, { name, collection }: About, advice?: string): ToolMeta {
  return {
    name: `${verb}_${name.replaceAll(' ', '_')}`,
    resource: collection,
    ...(advice && { advice }),
  };
}
