import { defineEntity, p } from '@mikro-orm/core';
import { moment, sitePrimaryKey } from '../columns.ts';

/** A logged-in owner; only the SHA-256 of the token is kept. */
export const OwnerSessionEntity = defineEntity({
  name: 'owner_sessions',
  tableName: 'owner_sessions',
  properties: {
    ...sitePrimaryKey,
    owner_id: p.text(),
    token_hash: p.text().unique('owner_sessions_token_hash_key'),
    expires_at: moment(),
    created: moment(),
  },
});
