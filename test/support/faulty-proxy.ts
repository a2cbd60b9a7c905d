import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request as send } from 'undici';
import { listen } from './tls-receiver.ts';

/** What befalls a request or its answer. */
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
    // In one piece, or the second would pass for the answer to the next request.
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
  /** Of the client. */
  socket: Socket;
  /** Sends the request on, and gives the answer. */
  forward(): Promise<Answer>;
  /** Gives the client a whole answer. */
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
  /** Of the requests, from 0 to 1. */
  share: number;
  random: () => number;
}

/** An HTTP proxy that does a share of its work badly. */
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
  // A client closes what a fault has spoilt.
  server.on('connection', (socket) => socket.on('error', () => {}));
  const port = await listen(server, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** How often each fault has struck. */
    counts: counts as ReadonlyMap<Fault, number>,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await agent.close();
    },
  };
}

/** Each fault strikes once among so many requests that their share is struck, at a place of chance: none stays out. */
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
