import { connect, createServer, type Socket } from 'node:net';
import { listen } from './tls-receiver.ts';

/**
 * Starts a proxy that counts round trips to a server that only answers requests. Everything that is sent before the
 * next answer counts as one, over all connections.
 */
export async function countRoundTrips(target: { port: number }) {
  let flights = 0;
  const waiting = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    client.on('data', () => {
      if (waiting.size === 0) flights += 1;
      waiting.add(client);
    });
    upstream.on('data', () => waiting.delete(client));
    client.on('close', () => waiting.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true).pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  const port = await listen(server, '127.0.0.1');
  return {
    port,
    /** Returns the number of round trips during `work`. */
    async during(work: () => Promise<unknown>): Promise<number> {
      const before = flights;
      await work();
      return flights - before;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
