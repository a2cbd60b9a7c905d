import type { Fields } from '../../../shared/contract/fields.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';

type NameOf<F> =
  | (keyof F & string)
  | 'id'
  | 'created'
  | 'updated'
  | 'revision'
  | (F extends { is_draft: unknown } ? 'publish_at' : never);

/** The names of what its owner sees of a record, which are its columns. */
export const ownNames = <F extends Fields>(fields: F) => {
  const scheduled = hasDrafts(fields) ? ['publish_at'] : [];
  // `Object.keys` gives any text, since values may have more properties than their type; a table of fields has not.
  return ['id', ...Object.keys(fields), ...scheduled, 'created', 'updated', 'revision'] as NameOf<F>[];
};

/** Those of what readers see: never whether it is a draft and until when, nor how often it was written. */
export const readableNames = <F extends Fields>(fields: F) =>
  ownNames(fields).filter(
    (name): name is Exclude<NameOf<F>, (typeof ownersAlone)[number]> =>
      !ownersAlone.some((own) => own === name),
  );

const ownersAlone = ['is_draft', 'publish_at', 'revision'] as const;
