import { mailKeyOwner } from '../../shared/newsletter/mail-key.ts';
import { secretOwner } from '../../shared/webhooks/deliver.ts';
import { totpOwner } from '../features/sessions/factors/totp.ts';

/** A column of texts that SECRET_KEY seals. */
interface LastingSecret {
  table: string;
  column: string;
  /** The columns that tell rows apart. */
  id: readonly [string, ...string[]];
  /** Whom the text of a row is sealed for. */
  ownerOf(...id: readonly string[]): string;
}

const ofWebhooks = {
  table: 'webhook_subscriptions',
  id: ['site_id', 'id'],
  ownerOf: (siteId = '', id = '') => secretOwner(siteId, id),
} as const;

/** What is sealed, and has to open for as long as it is there. What is sealed for a day at most is not among it. */
export const lastingSecrets: readonly LastingSecret[] = [
  { ...ofWebhooks, column: 'secret_sealed' },
  { ...ofWebhooks, column: 'previous_secret_sealed' },
  {
    table: 'mail_keys',
    column: 'key_sealed',
    id: ['site_id'],
    ownerOf: (siteId = '') => mailKeyOwner(siteId),
  },
  {
    ...{ table: 'factors', column: 'secret_sealed', id: ['person_id', 'id'] },
    ownerOf: (personId = '') => totpOwner(personId),
  },
];
