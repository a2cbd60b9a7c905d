import { type ApiFields, apiFields, type Fields } from '../../../shared/contract/fields.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';

type Scheduled<F> = F extends { is_draft: unknown } ? 'publish_at' : never;

type NameOf<F> = (keyof F & string) | 'id' | 'created' | 'updated' | 'revision' | 'created_by' | Scheduled<F>;

/** The names of what its owner sees of a record, which are its columns. */
export const ownNames = <F extends Fields>(fields: F): NameOf<F>[] => {
  const scheduled = (['publish_at'] as const).filter((_name): _name is Scheduled<F> => hasDrafts(fields));
  return ['id', ...keysOf(fields), ...scheduled, 'created', 'updated', 'revision', 'created_by'];
};

/** Those of what readers see unasked: never whether it is a draft and until when, how often it was written, and by whom. */
export const readableNames = <F extends Fields>(fields: F) =>
  ownNames(apiFields(fields)).filter(
    (name): name is Exclude<NameOf<ApiFields<F>>, (typeof ownersAlone)[number]> =>
      !ownersAlone.some((own) => own === name),
  );

const ownersAlone = ['is_draft', 'publish_at', 'revision', 'created_by'] as const;
