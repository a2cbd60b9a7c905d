import { unsetValues } from '../../../shared/contract/fields.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';

/** What the fields of a record hold when nobody set them. */
export function unsetOf(collection: string): Record<string, unknown> | null {
  const resource = Object.values(allResources).find((each) => each.collection === collection);
  return resource ? unsetValues(resource.fields) : null;
}
