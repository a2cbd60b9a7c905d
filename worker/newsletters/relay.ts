import { Readable, Transform } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { responseIn } from '../../shared/mail/mailer.ts';
import type { ServerReply } from '../../shared/newsletter/judge-readers.ts';

export interface Envelope {
  from: string;
  to: string;
  /** Whose newsletter it is. */
  siteId: string;
}

/**
 * What became of one message, as far as anybody can know. `refused`: never. `retrying`: not this time; without a reply the
 * connection was lost before the server could have taken it. `unknown`: the server was ready for it, and nothing says what it
 * did then. `away`: there was no server to give it to, which says nothing of the message. `untried`: this process could not even begin.
 */
export interface Outcome extends ServerReply {
  kind: 'accepted' | 'refused' | 'retrying' | 'unknown' | 'away' | 'untried';
}

export const withoutReply = (kind: Outcome['kind']): Outcome => ({
  kind,
  reply_code: null,
  reply_status: null,
});

/** Where messages are handed on, one at a time. */
export interface Relay {
  /** Never rejects. Other messages may share pieces of this one: they are only read. */
  send(envelope: Envelope, message: readonly Buffer[]): Promise<Outcome>;
  close(): void;
}

interface RelayOptions {
  /** The server: `smtp://` or `smtps://`. */
  url: string;
  /** Longest that one message takes, the connection included, in milliseconds. */
  timeoutMs: number;
  /** Our name, as servers are told it. */
  name: string;
}

/** Messages of one connection: servers end those that go on for too long. */
const mostPerConnection = 100;

/** How long a connection waits for the next message. */
const idleMs = 5_000;

/** A connection to the server, opened when there is something to send and kept for what follows. */
export function createRelay({ url, timeoutMs, name }: RelayOptions): Relay {
  const { auth, ...server } = parseConnectionUrl(url);
  let current: { connection: SMTPConnection; sent: number } | null = null;
  let idle: NodeJS.Timeout | undefined;

  function drop() {
    clearTimeout(idle);
    current?.connection.close();
    current = null;
  }

  async function connect(timeout: AbortSignal) {
    const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
    const connection = new SMTPConnection({ ...server, ...times, name, logger: false });
    current = { connection, sent: 0 };
    // What goes wrong while a message is under way is told to it.
    connection.on('error', () => {});
    await before(timeout, connection, (done) => connection.connect(done));
    if (auth) await before(timeout, connection, (done) => connection.login(auth, done));
    return current;
  }

  async function attempt(copy: Handing): Promise<Outcome> {
    const { timeout } = copy;
    if (current?.connection.destroyed || (current?.sent ?? 0) >= mostPerConnection) drop();
    const isFresh = current === null;
    const open = current ?? (await connect(timeout).catch((error: unknown) => replyOf(error)));
    if (!('connection' in open)) {
      drop();
      return { kind: 'away', ...open };
    }
    const outcome = await handOver(open.connection, copy);
    if (outcome.kind === 'accepted') {
      open.sent++;
      return outcome;
    }
    drop();
    // It had ended the connection while it waited for the next message: that says nothing of this one.
    const wasOver = outcome.kind === 'retrying' && outcome.reply_code === null && !isFresh;
    return wasOver && !timeout.aborted ? attempt(copy) : outcome;
  }

  return {
    async send(envelope, message) {
      clearTimeout(idle);
      // One of `AbortSignal` would hold the message until its time is over, and thousands of them meanwhile.
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), timeoutMs);
      const endsAt = performance.now() + timeoutMs;
      const outcome = await attempt({ envelope, message, timeout: over.signal, endsAt });
      clearTimeout(timer);
      idle = setTimeout(drop, idleMs);
      idle.unref();
      return outcome;
    },
    close: drop,
  };
}

/** A step before any message. Rejects with what the server said, if it did, and when the time is over. */
const before = (
  timeout: AbortSignal,
  connection: SMTPConnection,
  step: (done: (error?: Error | null) => void) => void,
) =>
  new Promise<void>((resolve, reject) => {
    connection.once('error', reject);
    timeout.addEventListener('abort', () => reject(timeout.reason), { once: true });
    step((error) => (error ? reject(error) : resolve()));
  });

interface Handing {
  envelope: Envelope;
  message: readonly Buffer[];
  timeout: AbortSignal;
  /** When the time is over, as `performance.now()` tells it. */
  endsAt: number;
}

/**
 * Sends one message. That the server asked for it (354) is known by its being read: the connection reads it from then on, and
 * only then a loss leaves open what became of it.
 */
const handOver = (connection: SMTPConnection, { envelope, message, timeout, endsAt }: Handing) =>
  new Promise<Outcome>((resolve) => {
    let wasAskedFor = false;
    const asked = Object.assign(new Readable(), {
      pipe<T>(to: T) {
        // A process that stood still is asked before it learns that its time is over, and may not own the copy any more.
        if (performance.now() > endsAt || !(to instanceof Transform)) connection.close();
        else {
          wasAskedFor = true;
          hand(message, to);
        }
        return to;
      },
    });
    const end = (error: unknown) => resolve(outcomeOf(error, wasAskedFor));
    timeout.addEventListener('abort', () => end(null), { once: true });
    connection.send({ from: envelope.from, to: [envelope.to] }, asked, (error, info) => {
      if (error) return end(error);
      resolve({ kind: 'accepted', ...replyIn(info?.response ?? '') });
    });
  });

/**
 * Gives the connection what it asks for. It would look at each byte for what SMTP wants written otherwise, and copy what it finds: pieces
 * that need none of that are handed on as they are, all but the end of the last line, which the connection writes.
 */
function hand(message: readonly Buffer[], to: Transform) {
  const last = message.at(-1);
  if (last?.subarray(-2).toString() === '\r\n' && message.every(isPlain))
    for (const piece of message) to.push(piece === last ? piece.subarray(0, -2) : piece);
  else for (const piece of message) to.write(piece);
  to.end();
}

/** Whether no line begins with a dot. */
const isPlain = (piece: Buffer) => piece[0] !== dot && !piece.includes('\n.') && !piece.includes('\r.');

const dot = 0x2e;

function outcomeOf(error: unknown, wasAskedFor: boolean): Outcome {
  const reply = replyOf(error);
  const code = reply.reply_code;
  if (wasAskedFor && code === null) return { kind: 'unknown', ...reply };
  return { kind: code !== null && code >= 500 ? 'refused' : 'retrying', ...reply };
}

/** What the server said to a step that failed; nothing when the connection was lost. */
const replyOf = (error: unknown): ServerReply => replyIn(responseIn(error) ?? '');

function replyIn(response: string): ServerReply {
  const [, code, status] = /^([2-5]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  return { reply_code: code === undefined ? null : Number(code), reply_status: status ?? null };
}
