import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { queryOf } from './query-of.ts';

export type Factor = OutputOf<ApiClient['studio']['factors']['list']>['data'][number];

/** What somebody proves by that it is they, and how many recovery codes they have. */
export const factorsQuery = ({ studio }: ApiClient) => queryOf(['factors'], studio.factors.list, undefined);
