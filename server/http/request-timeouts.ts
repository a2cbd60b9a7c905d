import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { checkIntervalMs, createPaceCheck, type Timeouts } from '../../shared/runtime/timeouts.ts';
import type { Deps } from '../api/deps.ts';
import { announcesBody } from './body.ts';

/** Maximum bytes of incomplete bodies in a process, over all requests without a file. */
const maxBytes = 32 * 1024 * 1024;

const checkMs = 100;

interface UnfinishedBody {
  client: string;
  bytes(): number;
  end(): void;
}

/**
 * Bounds the memory of incomplete bodies, whose callers are not identified yet. Over the limit, it ends requests of the
 * client with the largest total, the oldest first.
 */
function boundUnfinishedBodies() {
  const bodies = new Set<UnfinishedBody>();
  let timer: NodeJS.Timeout | undefined;

  const check = () => {
    const sizes = new Map([...bodies].map((body) => [body, body.bytes()]));
    let inAll = sum(sizes.values());
    while (inAll > maxBytes) {
      const body = oldestOfLargest(sizes);
      if (!body) return;
      inAll -= sizes.get(body) ?? 0;
      sizes.delete(body);
      bodies.delete(body);
      body.end();
    }
  };

  return {
    add(body: UnfinishedBody) {
      bodies.add(body);
      timer ??= setInterval(check, checkMs).unref();
    },
    delete(body: UnfinishedBody) {
      bodies.delete(body);
      if (bodies.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function oldestOfLargest(sizes: ReadonlyMap<UnfinishedBody, number>): UnfinishedBody | undefined {
  const byClient = [...Map.groupBy(sizes.keys(), ({ client }) => client).values()];
  const sizeOf = (bodies: readonly UnfinishedBody[]) => sum(bodies.map((body) => sizes.get(body) ?? 0));
  const [largest] = byClient.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return largest?.[0];
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the body is a file; its reader enforces the time limit. */
    takesFile?: boolean | undefined;
  }
}

/**
 * Returns the maximum duration of any request in milliseconds, including the time that an upload or transfer waits in
 * its queue. It is Node's own limit, which does not distinguish routes.
 */
export const maxRequestMs = ({ requestMs, upload, transfer }: Timeouts) =>
  requestMs + Math.max(upload.maxMs, transfer.maxMs);

/**
 * Ends a request whose body does not arrive in time, or takes too much memory, as Node ends requests with a late head:
 * as broken.
 */
export function endLateRequests(app: FastifyInstance, { timeouts }: Deps) {
  const unfinished = boundUnfinishedBodies();
  app.addHook('onRequest', (request, _reply, done) => {
    if (announcesBody(request) && !request.routeOptions.config.takesFile) {
      const { raw, client } = request;
      const { socket } = raw;
      const { bytesRead } = socket;
      const end = () => void (raw.complete || app.server.emit('clientError', late(), socket));
      const body = { client, bytes: () => socket.bytesRead - bytesRead, end };
      unfinished.add(body);
      const timer = setTimeout(end, timeouts.requestMs).unref();
      const forget = () => {
        clearTimeout(timer);
        unfinished.delete(body);
      };
      raw.once('end', forget).once('close', forget);
    }
    done();
  });
}

/**
 * Ends connections whose client reads an answer too slowly: unread bytes occupy memory, and the file or database
 * snapshot that the answer is made from. Clients that have read everything are not affected, for example followers of
 * events. Node's socket timeout cannot do this: a write of any size, or a part of one, arms it again.
 */
export function endUntakenAnswers(app: FastifyInstance, { timeouts: { answer } }: Deps) {
  const open = new Map<Socket, { handedOver: number; pace: ReturnType<typeof createPaceCheck> }>();
  app.server.on('connection', (socket: Socket) => {
    open.set(socket, { handedOver: 0, pace: createPaceCheck(answer) });
    socket.once('close', () => open.delete(socket));
  });
  const check = () => {
    for (const [socket, connection] of open) {
      if (socket.writableLength === 0) connection.pace.restart();
      else {
        const before = connection.handedOver;
        connection.handedOver = bytesHandedOver(socket);
        if (connection.pace.isTooSlow(connection.handedOver - before)) socket.destroy();
      }
    }
  };
  const timer = setInterval(check, checkIntervalMs(answer)).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/**
 * Byte counters of libuv for a connection. Node documents no counter that includes parts of a write. Its own socket
 * timeout reads `writeQueueSize`.
 */
const StreamHandle = z.object({ bytesWritten: z.number(), writeQueueSize: z.number() });

/** Returns the number of bytes of a connection that the kernel has accepted. It accepts more as the client reads. */
function bytesHandedOver(socket: Socket): number {
  const { data } = StreamHandle.safeParse(Reflect.get(socket, '_handle'));
  return data ? data.bytesWritten - data.writeQueueSize : socket.bytesWritten - socket.writableLength;
}

/** Creates an error with the code that Node uses for a late request. */
const late = () => Object.assign(new Error('request timed out'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
