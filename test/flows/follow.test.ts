import { expect, test } from 'vitest';
import { createClient } from '../../client/sdk/index.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startFollower } from '../support/follower.ts';
import { findFreePort, startNode } from '../support/process.ts';

/** Starts a server process on the port; resolves when it is ready. */
async function startServer(databaseUrl: string, port: number) {
  const server = startNode(['server/main.ts'], {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: String(port),
    RATE_LIMIT_NORMAL: 'off',
  });
  await server.says(/"msg":"ready"/);
  return server;
}

test('at SIGTERM the streams of followers break immediately, and the process exits with 0', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const port = await findFreePort();
  await using server = await startServer(app.databaseUrl, port);
  await using follower = await startFollower(`http://127.0.0.1:${port}`, { key });
  await app.post('/api/v1/posts', { key, body: { title: 'before' } });
  await follower.told(1);

  server.signal('SIGTERM');

  expect(await follower.ended()).toBe('whole');
  expect(follower.frames.map(({ event }) => event)).toEqual(['connected', 'message']);
  const { exitCode, output } = await server.ended();
  expect(exitCode).toBe(0);
  expect(output).not.toContain('shutdown timed out');
  expect(await app.deps.database.em.fork().execute('select place from event_followers')).toEqual([]);
});

test('a follower of a server that is repeatedly killed and restarted receives every event once', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const port = await findFreePort();
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: key });
  const titles: unknown[] = [];
  const written: string[] = [];
  let isConnected = false;
  const follow = () =>
    client.v1.events.follow.subscribe(
      { events: ['content.created'] },
      {
        onData: ({ data }) => void titles.push('title' in data.data && data.data.title),
        onConnectionStateChange({ state }) {
          isConnected = state === 'pending';
        },
      },
    );
  const write = async (title: string) => {
    await app.post('/api/v1/posts', { key, body: { title } });
    written.push(title);
  };
  let subscription: ReturnType<typeof follow> | undefined;
  for (let round = 1; round <= 3; round++) {
    await using _server = await startServer(app.databaseUrl, port);
    subscription ??= follow();
    await eventually(() => isConnected);
    for (let n = 1; n <= 5; n++) await write(`${round}.${n}`);
    if (round % 2 === 0) await eventually(() => titles.length >= written.length);
    // The process is killed here, with the events that it was about to send.
    isConnected = false;
    await write(`${round}, while it is away`);
  }
  await using _last = await startServer(app.databaseUrl, port);
  await eventually(() => titles.length >= written.length);
  subscription?.unsubscribe();
  expect(titles).toEqual(written);
});
