import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** Action of a server at a step of an SMTP session: a reply, no reply, or the end of the connection. */
type Step = string | 'silence' | 'drop';

export interface RelayScript {
  greeting?: Step;
  mail?: Step;
  rcpt?: Step;
  /** Action at the command DATA. */
  data?: Step;
  /** Action when the message begins to arrive. */
  body?: 'drop';
  /** Action after the final dot. */
  dot?: Step;
  /** True if it loses the message without reporting an error. */
  forgets?: boolean;
  /** Time that it needs for a message, in milliseconds. */
  takesMs?: number;
  /** True if it closes the connection after a message. */
  leaves?: boolean;
}

interface TakenMessage {
  /** Return address. */
  from: string;
  to: string;
  raw: string;
}

/**
 * Starts a mail server that follows a script per recipient. A message counts as `taken` if it arrived completely and
 * was not refused or lost, whatever the server replied. Dispose of it with `await using`.
 */
export async function startMisbehavingRelay(
  scriptFor: (to: string) => RelayScript = () => ({}),
  onRecipient: (to: string) => void = () => {},
) {
  const taken: TakenMessage[] = [];
  const sockets = new Set<Socket>();
  const max = { connections: 0 };
  const silent = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    max.connections = Math.max(max.connections, sockets.size);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    converse(socket).catch(() => socket.destroy());
  });

  async function converse(socket: Socket) {
    const say = (step: Step): boolean => {
      if (step === 'drop') socket.destroy();
      else if (step === 'silence') silent.resolve();
      else socket.write(`${step}\r\n`);
      if (typeof step === 'string' && step.startsWith('421')) socket.end();
      return /^[23]/.test(step);
    };
    say(scriptFor('').greeting ?? '220 relay ready');
    let from = '';
    let to = '';
    let raw: string[] | null = null;
    for await (const line of createInterface({ input: socket })) {
      const script = scriptFor(to);
      if (raw) {
        if (script.body === 'drop') return socket.destroy();
        if (line !== '.') {
          raw.push(line.replace(/^\./, ''));
          continue;
        }
        const answer = script.dot ?? '250 2.0.0 taken';
        if (!/^[45]/.test(answer) && !script.forgets) taken.push({ from, to, raw: raw.join('\n') });
        raw = null;
        if (script.takesMs) await delay(script.takesMs);
        say(answer);
        if (script.leaves) socket.end();
        continue;
      }
      const command = line.toUpperCase();
      if (command.startsWith('EHLO')) say('250 relay');
      else if (command.startsWith('MAIL')) {
        from = /<(.*?)>/.exec(line)?.[1] ?? '';
        say(scriptFor('').mail ?? '250 2.1.0 ok');
      } else if (command.startsWith('RCPT')) {
        to = /<(.*?)>/.exec(line)?.[1] ?? '';
        onRecipient(to);
        say(scriptFor(to).rcpt ?? '250 2.1.5 ok');
      } else if (command.startsWith('DATA')) {
        if (say(script.data ?? '354 go on')) raw = [];
      } else if (command.startsWith('QUIT')) {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    }
  }

  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async () => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    taken,
    max,
    /** Resolves when a script first sends no reply. */
    silent: silent.promise,
    /** Ends all connections, and accepts new ones only after `beginAgain`. */
    close,
    beginAgain: () => listen(port),
    [Symbol.asyncDispose]: close,
  };
}
