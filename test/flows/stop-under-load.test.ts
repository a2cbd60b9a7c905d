import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startApp, testSecretKey } from '../support/app.ts';
import { findFreePort, startNode } from '../support/process.ts';

test.for(['1', '3'])(
  'a server of %s processes that is stopped answers all requests that have arrived, on new and idle connections',
  async (processes) => {
    await using app = await startApp();
    const port = await findFreePort();
    await using server = startNode(['server/main.ts'], {
      NODE_ENV: 'production',
      DATABASE_URL: app.databaseUrl,
      SECRET_KEY: testSecretKey,
      PORT: String(port),
      WEB_CONCURRENCY: processes,
    });
    await server.says(/"msg":"ready"/);
    const kept = await Promise.all(Array.from({ length: 20 }, () => open(port)));
    for (const connection of kept) connection.ask();
    await Promise.all(kept.map(({ answered }) => answered(1)));

    // While the process is frozen, the operating system accepts connections and data for it.
    server.signalGroup('SIGSTOP');
    const fresh = await Promise.all(Array.from({ length: 20 }, () => open(port)));
    for (const connection of [...kept, ...fresh]) connection.ask();
    server.signal('SIGTERM');
    server.signalGroup('SIGCONT');

    expect(await Promise.all(kept.map(({ closed }) => closed))).toEqual(Array(20).fill(2));
    expect(await Promise.all(fresh.map(({ closed }) => closed))).toEqual(Array(20).fill(1));
    expect(await server.ended()).toMatchObject({ exitCode: 0 });
  },
);

/** Opens a connection. `closed` resolves to the number of responses before it ended. */
async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let wake = () => {};
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    wake();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const answers = () => received.split('HTTP/1.1 200 OK').length - 1;
  return {
    ask: () => void socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    async answered(count: number) {
      while (answers() < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    closed: new Promise<number>((resolve) => socket.once('close', () => resolve(answers()))),
  };
}
