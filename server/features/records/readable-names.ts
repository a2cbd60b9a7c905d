import type { Fields } from '../../../shared/contract/fields.ts';

type NameOf<F> = (keyof F & string) | 'id' | 'created' | 'updated' | 'revision';

/** The names of what its owner sees of a record, which are its columns. */
// `Object.keys` gives any text, since values may have more properties than their type; a table of fields has not.
export const ownNames = <F extends Fields>(fields: F) =>
  ['id', ...Object.keys(fields), 'created', 'updated', 'revision'] as NameOf<F>[];

/** Those of what readers see: never whether it is a draft, nor how often it was written. */
export const readableNames = <F extends Fields>(fields: F) =>
  ownNames(fields).filter(
    (name): name is Exclude<NameOf<F>, 'is_draft' | 'revision'> => name !== 'is_draft' && name !== 'revision',
  );
