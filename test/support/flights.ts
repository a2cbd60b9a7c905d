import { connect, createServer, type Socket } from 'node:net';
import { listen } from './tls-receiver.ts';

/**
 * A proxy before a server that answers only what it is asked, which counts how often somebody waits for it: whatever is sent
 * before an answer comes travels together, over one connection or several.
 */
export async function countFlights(target: { port: number }) {
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
    /** How many there were during `work`. */
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
