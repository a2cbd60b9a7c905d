import { createServer, type Server } from 'node:net';
import { listen } from './tls-receiver.ts';

/** Starts a server on 127.0.0.1, and on ::1 if available, that must not be contacted. It counts connections. */
export async function startForbiddenServer() {
  let connections = 0;
  const servers: Server[] = [];
  const trap = () =>
    createServer((socket) => {
      connections++;
      socket.destroy();
    });
  const open = async (host: string, port?: number) => {
    const server = trap();
    const bound = await listen(server, host, port);
    servers.push(server);
    return bound;
  };
  const port = await open('127.0.0.1');
  await open('::1', port).catch(() => {});
  return {
    port,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
