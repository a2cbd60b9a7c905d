import { p } from '@mikro-orm/core';
import type { PreviewedCollection } from '../../contract/features/previews.ts';
import type { AccessTier } from '../../contract/resources/access-tier.ts';
import { sitePrimaryKey, table, timestampColumn } from '../columns.ts';

/** Link that shows a draft. Only the SHA-256 hash of its token is stored. */
export const PreviewEntity = table(
  'previews',
  {
    ...sitePrimaryKey,
    collection: p.text().$type<PreviewedCollection>(),
    record_id: p.text(),
    /** Access tier that the preview is rendered for. */
    as: p.text().$type<AccessTier>(),
    token_hash: p.text(),
    created: timestampColumn(),
    ends_at: timestampColumn(),
  },
  { name: 'previews_token_key', properties: ['site_id', 'token_hash'] },
);
