import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';

/** Creates the migrated database that test apps clone. */
export async function migrateTemplate(url: string) {
  const admin = await openDatabase({ url, poolSize: 1, applicationName: 'test-template' });
  await admin.em.execute('create database template_app');
  await admin.close();
  await migrate(databaseAt(url, 'template_app'));
}

/** Returns the URL of another database on the same server. */
export function databaseAt(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
