import type { ApiClient, OutputOf } from '../../sdk/index.ts';

/** A file as its owner sees it. */
export type MediaFile = OutputOf<ApiClient['studio']['media']['list']>['items'][number];
