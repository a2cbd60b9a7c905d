import { SessionClient } from '../../shared/db/session.ts';
import type { TestApp } from './app.ts';

/** Carries out a statement that writes more than any request does: those of an app have so much time, and no more. */
export async function atLeisure({ databaseUrl }: Pick<TestApp, 'databaseUrl'>, statement: string) {
  const client = new SessionClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
