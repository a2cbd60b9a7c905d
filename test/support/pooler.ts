import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './tls-receiver.ts';

/** Parameters that PgBouncer accepts when a connection begins, according to its documentation. */
const taken = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]);

/** Starts a proxy that accepts and refuses connections like PgBouncer in session mode. It does not pool. */
export async function startPooler(target: { port: number }) {
  const sockets = new Set<Socket>();
  let admitted = 0;
  const server = createServer(async (client) => {
    sockets.add(client.on('error', () => {}));
    const [head]: [Buffer] = await once(client, 'data').then(([chunk]) => [chunk]);
    const refused = startupParameters(head).find((name) => !taken.has(name.toLowerCase()));
    if (refused !== undefined) return void client.end(refusal(`unsupported startup parameter: ${refused}`));
    admitted += 1;
    const upstream = connect(target.port, '127.0.0.1').on('error', () => {});
    sockets.add(upstream);
    upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  return {
    port: await listen(server, '127.0.0.1'),
    /** Returns the number of accepted connections. */
    admitted: () => admitted,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/**
 * Returns the parameter names in the first message of a connection. It consists of its length and version, then names
 * and values, each ended by a zero.
 */
const startupParameters = (message: Buffer) =>
  message
    .subarray(8, message.readInt32BE(0))
    .toString()
    .split('\0')
    .filter((word, index) => index % 2 === 0 && word !== '');

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const length = Buffer.alloc(5, 'E');
  length.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([length, fields]);
}
