import type { QueryClient } from '@tanstack/react-query';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import type { ApiClient } from '../../sdk/index.ts';

interface Address {
  collection: string;
  id: string;
}

/** The address as the service takes it. Throws for a collection that there isn't. */
function addressOf({ collection, id }: Address) {
  const known = contentCollections.find((name) => name === collection);
  if (!known) throw new Error(`nothing is deleted from ${collection}`);
  return { collection: known, id };
}

/** Brings a record back from the trash; gives its slug when it is another one than before. */
export const restoreTrashed = (api: ApiClient, address: Address) =>
  api.studio.trash.restore.mutate(addressOf(address));

/** Deletes a record of the trash for good. */
export const purgeTrashed = (api: ApiClient, address: Address) =>
  api.studio.trash.purge.mutate(addressOf(address));

/** Says that a collection and the trash are not what they were. */
export const forgetLists = (queries: QueryClient, collection: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['records', collection] }),
    queries.invalidateQueries({ queryKey: ['trash'] }),
  ]);
