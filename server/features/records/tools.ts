import { retentionDays } from '../../../shared/contract/limits.ts';
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
export const createTool = (about: About) =>
  recordTool('create', about, 'It is public at once unless its fields say otherwise.');

/** `update_post` */
export const updateTool = (about: About) => {
  const advice = `Only the fields given are changed; an empty value or null unsets one. Fields as in ${createTool(about).name}.`;
  return recordTool('update', about, advice);
};

/** `delete_post` */
export const deleteTool = (about: About) =>
  recordTool(
    'delete',
    about,
    `It goes to the trash, where its owner finds it for ${retentionDays.trash} days.`,
  );

function recordTool(verb: string, { name, collection }: About, advice?: string): ToolMeta {
  return {
    name: `${verb}_${name.replaceAll(' ', '_')}`,
    resource: collection,
    ...(advice && { advice }),
  };
}
