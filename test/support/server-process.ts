import { tierVariables } from '../../server/api/limits/tiers.ts';
import { testSecretKey } from './app.ts';
import { findFreePort, startNode } from './process.ts';

/** Settings that turn off all rate limits. */
export const withoutLimits = Object.fromEntries(Object.keys(tierVariables).map((name) => [name, 'off']));

/** Starts the server as in production, over a migrated database. */
export async function startServerProcess(databaseUrl: string, environment: Record<string, string> = {}) {
  const port = await findFreePort();
  const server = startNode(['server/main.ts'], {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: String(port),
    ...environment,
  });
  await server.says(/"msg":"ready"/).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]();
    throw error;
  });
  return Object.assign(server, { baseUrl: `http://localhost:${port}` });
}
