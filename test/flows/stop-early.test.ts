import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { testSecretKey } from '../support/app.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { findFreePort, runNode } from '../support/process.ts';

/**
 * Returns the URL of a module that makes a process stop itself while it loads another module, from its source or from
 * the bundle.
 */
const stopWhileLoading = (module: string, signal: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({
      load(url, context, next) {
        if (/${module}.m?[jt]s$/.test(url)) process.kill(process.pid, '${signal}');
        return next(url, context);
      },
    });
  `)}`;

test.for([
  ['worker/main.ts', 'run-worker', 'SIGTERM'],
  ['worker/main.ts', 'run-worker', 'SIGINT'],
  ['server/main.ts', 'run-server', 'SIGTERM'],
  ['server/start.ts', 'start-all', 'SIGINT'],
] as const)('%s that is stopped while it loads %s, by %s, exits with 0', async ([entry, module, signal]) => {
  await using database = await createEmptyDatabase();
  const mediaDir = await mkdtemp(path.join(tmpdir(), 'creator-content-media-'));
  onTestFinished(() => rm(mediaDir, { recursive: true }));
  const { exitCode, output } = await runNode(['--import', stopWhileLoading(module, signal), entry], {
    DATABASE_URL: database.url,
    SECRET_KEY: testSecretKey,
    PORT: String(await findFreePort()),
    // Files of the checkout belong to the service that a developer may run there.
    MEDIA_URL: pathToFileURL(mediaDir).href,
    DEMO: 'off',
  });
  expect([exitCode, output]).toEqual([0, expect.not.stringMatching(/failed to start|start failed/)]);
});
