import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface Address {
  HOST: string;
  PORT: number;
}

/** Listens on the address. Throws an error with advice if the port is taken or not permitted. */
export async function listen(app: FastifyInstance, address: Address): Promise<void> {
  await app.listen({ host: address.HOST, port: address.PORT }).catch((cause) => advise(cause, address));
}

/** Checks that the address is available before other work of a start. Throws an error with advice if it is not. */
export async function tryAddress(address: Address): Promise<void> {
  const probe = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  probe.once('error', reject).listen({ host: address.HOST, port: address.PORT }, resolve);
  await promise.catch((cause) => advise(cause, address));
  await new Promise((closed) => probe.close(closed));
}

function advise(cause: NodeJS.ErrnoException, { HOST, PORT }: Address): never {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${PORT} is already in use by another program. Choose another, such as PORT=${PORT === 65_535 ? 3000 : PORT + 1}.`,
    EACCES: `Permission denied to listen on port ${PORT}. Choose a port from 1024 up, such as PORT=3000.`,
    EADDRNOTAVAIL: `HOST is ${HOST}, which is not an address of this machine. Choose one, such as 127.0.0.1 or 0.0.0.0.`,
    ENOTFOUND: `HOST is ${HOST}, but this name has no DNS entry. Choose an address, such as 127.0.0.1 or 0.0.0.0.`,
  };
  throw new Error(advice[cause.code ?? ''] ?? cause.message, { cause });
}
