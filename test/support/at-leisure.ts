import { SessionClient } from '../../shared/db/session.ts';
import type { TestApp } from './app.ts';

/** Runs a statement that takes longer than the time limit of an app's connections. */
export async function atLeisure({ databaseUrl }: Pick<TestApp, 'databaseUrl'>, statement: string) {
  const client = new SessionClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
