import type { EntityMetadata, Options } from '@mikro-orm/postgresql';
import { credentialEntities } from './entities/assistants.ts';
import { audienceEntities } from './entities/audience.ts';
import { AuditEntryEntity } from './entities/audit-entry.ts';
import { CollectionChanges, CollectionState } from './entities/collection-state.ts';
import { contentEntities } from './entities/content.ts';
import { EventEntity, EventFollower } from './entities/events.ts';
import { factorEntities } from './entities/factor.ts';
import { RecordRevision, TrashedPart, TrashedRecord } from './entities/history.ts';
import { IdempotencyKey } from './entities/idempotency-key.ts';
import { mailingEntities } from './entities/mailings.ts';
import { MediaEntity, MediaRemoval, MediaStoreRecord, MediaToSize } from './entities/media.ts';
import { offerEntities } from './entities/offers.ts';
import { peopleEntities } from './entities/person.ts';
import { PreviewEntity } from './entities/preview.ts';
import { RedirectEntity } from './entities/redirect.ts';
import { ProfileEntity, Site } from './entities/site.ts';
import { ImportedRecord, MoveTicketEntity } from './entities/transfer.ts';
import { WebhookAttempt, WebhookDelivery, WebhookSubscription } from './entities/webhooks.ts';

const entities = [
  Site,
  ...peopleEntities,
  ...factorEntities,
  ProfileEntity,
  ...credentialEntities,
  CollectionState,
  CollectionChanges,
  EventEntity,
  EventFollower,
  IdempotencyKey,
  WebhookSubscription,
  WebhookDelivery,
  WebhookAttempt,
  MoveTicketEntity,
  ...audienceEntities,
  ...mailingEntities,
  ...offerEntities,
  ...contentEntities,
  RecordRevision,
  TrashedRecord,
  TrashedPart,
  AuditEntryEntity,
  ImportedRecord,
  PreviewEntity,
  RedirectEntity,
  MediaEntity,
  MediaToSize,
  MediaRemoval,
  MediaStoreRecord,
];

/**
 * Metadata that MikroORM derived from the entities when this process first opened a database. Deriving it takes three
 * times as long as the rest of opening.
 */
let discovered: readonly EntityMetadata[] | undefined;

/** MikroORM options with the entities. Their metadata is derived once per process, however many databases it opens. */
export const entityOptions = () =>
  ({
    entities: discovered ? [] : entities,
    discovery: {
      warnWhenNoEntities: false,
      afterDiscovered(storage) {
        for (const meta of discovered ?? []) storage.set(meta.class, meta);
        discovered ??= [...storage];
      },
    },
  }) satisfies Options;
