import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, EntityCaseNamingStrategy, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ApiKey } from './entities/api-key.ts';
import { audienceEntities } from './entities/audience.ts';
import { CollectionState } from './entities/collection-state.ts';
import { contentEntities } from './entities/content.ts';
import { EventEntity } from './entities/events.ts';
import { OwnerSessionEntity } from './entities/owner-session.ts';
import { Owner, ProfileEntity, Site } from './entities/site.ts';
import { WebhookDelivery, WebhookSubscription } from './entities/webhooks.ts';
import { migrations } from './migrations/index.ts';
import { PreparingClient } from './prepared-statement.ts';
import { Timestamp } from './timestamp.ts';

/** Settings of a connection to the service's PostgreSQL. */
export interface DatabaseOptions {
  url: string;
  /** Most connections this process holds. */
  poolSize: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
}

const entities = [
  Site,
  Owner,
  OwnerSessionEntity,
  ProfileEntity,
  ApiKey,
  CollectionState,
  EventEntity,
  WebhookSubscription,
  WebhookDelivery,
  ...audienceEntities,
  ...contentEntities,
];

/** A process that stops in the middle of a transaction (SIGSTOP, a frozen machine) holds up the others for this long. */
const pausedAfterMs = 5_000;

/** Opens the database. Connections are made when first needed; the caller closes the result. */
export function openDatabase(options: DatabaseOptions) {
  return MikroORM.init(
    defineConfig({
      clientUrl: options.url,
      entities,
      namingStrategy: EntityCaseNamingStrategy,
      extensions: [Migrator],
      pool: { min: 0, max: options.poolSize },
      driverOptions: {
        Client: PreparingClient,
        application_name: options.applicationName,
        options: `-c timezone=UTC -c idle_in_transaction_session_timeout=${pausedAfterMs}`,
        keepAlive: true,
        onPoolCreated: (pool: pg.Pool) => {
          pool.options.types = typedValues();
        },
      },
      ensureDatabase: false,
      migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations', silent: true },
      debug: false,
    }),
  );
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** The entity manager of a transaction, or one forked for a single statement. */
export type Transaction = Database['em'];

/** Kysely's rows come straight from the driver: moments as `Timestamp`, numerics as numbers. */
function typedValues() {
  const { TIMESTAMPTZ, NUMERIC, INT8 } = pg.types.builtins;
  const parseMoment = pg.types.getTypeParser(TIMESTAMPTZ);
  const types = new pg.TypeOverrides();
  types.setTypeParser(TIMESTAMPTZ, (text: string) => new Timestamp(parseMoment(text)));
  types.setTypeParser(NUMERIC, Number);
  types.setTypeParser(INT8, Number);
  return types;
}
