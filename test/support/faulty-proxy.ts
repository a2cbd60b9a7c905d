import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request as send } from 'undici';
import { listen } from './tls-receiver.ts';

/** Faults of a request or its answer. */
export const faults = {
  'lost request': ({ socket }) => void socket.destroy(),
  'dropped answer': async ({ socket, forward }) => {
    await forward();
    socket.destroy();
  },
  'truncated answer': async ({ socket, forward, random }) => {
    const whole = bytesOf(await forward());
    socket.write(whole.subarray(0, Math.floor(random() * whole.length)), () => socket.destroy());
  },
  'doubled answer': async ({ socket, forward, answer }) => {
    const given = await forward();
    // In one write, because the client could read the second answer as that of its next request.
    socket.cork();
    answer(given);
    socket.write(bytesOf(given));
    socket.uncork();
  },
  'delayed answer': async ({ forward, answer, random }) => {
    const given = await forward();
    await delay(random() * 300);
    answer(given);
  },
  'doubled request': async ({ forward, answer }) => {
    const [first] = await Promise.all([forward(), forward()]);
    answer(first);
  },
  'silence instead of an answer': async ({ forward }) => void (await forward()),
} as const satisfies Record<string, (scene: Scene) => void | Promise<void>>;

export type Fault = keyof typeof faults;

interface Scene {
  /** Connection of the client. */
  socket: Socket;
  /** Sends the request to the server and returns the answer. */
  forward(): Promise<Answer>;
  /** Sends a complete answer to the client. */
  answer(given: Answer): void;
  random: () => number;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

interface Plan {
  faults: readonly Fault[];
  /** Share of requests with a fault, from 0 to 1. */
  share: number;
  random: () => number;
}

/** Starts an HTTP proxy that handles a share of the requests with faults. */
export async function startFaultyProxy(target: string, plan: Plan) {
  const counts = new Map<Fault, number>();
  const nextFault = createFaults(plan);
  const agent = new Agent({ connections: 50 });
  const server = createServer(async (request, response) => {
    const forward = forwarder({ target, agent }, request, Buffer.concat(await Array.fromAsync(request)));
    const scene = { socket: request.socket, random: plan.random, forward, answer: answerBy(response) };
    const fault = nextFault();
    if (!fault) return scene.answer(await forward());
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    await faults[fault](scene);
  });
  // A client closes connections that a fault broke.
  server.on('connection', (socket) => socket.on('error', () => {}));
  const port = await listen(server, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** Number of strikes of each fault. */
    counts: counts as ReadonlyMap<Fault, number>,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await agent.close();
    },
  };
}

/**
 * Returns a function that picks faults. In each round every fault occurs once, at a random position, so that none is
 * missed.
 */
function createFaults({ faults, share, random }: Plan) {
  const round = Math.round(faults.length / share);
  let left: (Fault | undefined)[] = [];
  return () => {
    if (left.length === 0) left = [...faults, ...Array<undefined>(round - faults.length).fill(undefined)];
    return left.splice(Math.floor(random() * left.length), 1)[0];
  };
}

function forwarder(
  { target, agent }: { target: string; agent: Agent },
  { method, url, headers: { connection: _, host: __, ...headers } }: IncomingMessage,
  body: Buffer,
) {
  return async (): Promise<Answer> => {
    const answer = await send(target + url, {
      dispatcher: agent,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: method === 'GET' ? null : body,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
}

const answerBy =
  (response: ServerResponse) =>
  ({ status, headers, body }: Answer) =>
    void response.writeHead(status, headers).end(body);

function bytesOf({ status, headers, body }: Answer): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), body]);
}
