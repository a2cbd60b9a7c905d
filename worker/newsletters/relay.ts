import { Readable, Transform } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { responseIn } from '../../shared/mail/mailer.ts';
import type { ServerReply } from '../../shared/newsletter/end-failing-subscriptions.ts';

export interface Envelope {
  from: string;
  to: string;
  /** Site of the newsletter. */
  siteId: string;
}

/**
 * Outcome of one attempt to send an email.
 *
 * `accepted`: the server has it. `refused`: permanent refusal. `retrying`: temporary refusal, or the connection broke
 * before the server could have accepted the email. `unknown`: the server was ready for the content, and its answer is
 * missing. `away`: no server was reachable, or it refused the session, whatever the email. `untried`: this process did
 * not begin.
 */
export interface Outcome extends ServerReply {
  kind: 'accepted' | 'refused' | 'retrying' | 'unknown' | 'away' | 'untried';
}

export const withoutReply = (kind: Outcome['kind']): Outcome => ({
  kind,
  reply_code: null,
  reply_status: null,
});

/** Route for emails that sends one at a time. */
export interface Relay {
  /** Sends an email. Never rejects. The pieces of `message` may be shared with other emails and must not be changed. */
  send(envelope: Envelope, message: readonly Buffer[]): Promise<Outcome>;
  close(): void;
}

interface RelayOptions {
  /** URL of the server: `smtp://` or `smtps://`. */
  url: string;
  /** Timeout of one email, connecting included, in milliseconds. */
  timeoutMs: number;
  /** Host name for the SMTP greeting (EHLO). */
  name: string;
}

/** Maximum number of emails per connection, because servers close long sessions. */
const maxPerConnection = 100;

/** Time that an idle connection stays open, in milliseconds. */
const idleMs = 5_000;

/**
 * Creates a connection to a mail server, which sends one email at a time.
 *
 * It is closed until the first email, then open while emails are sent, and idle in between. It closes after 5 s without an
 * email, after 100 emails, and after each email that was not accepted. If the server closed it while idle, the email is
 * attempted again on a new connection.
 */
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
    // Errors while an email is sent are reported by its callback.
    connection.on('error', () => {});
    await before(timeout, connection, (done) => connection.connect(done));
    if (auth) await before(timeout, connection, (done) => connection.login(auth, done));
    return current;
  }

  async function attempt(recipient: HandOver): Promise<Outcome> {
    const { timeout } = recipient;
    if (current?.connection.destroyed || (current?.sent ?? 0) >= maxPerConnection) drop();
    const isFresh = current === null;
    const open = current ?? (await connect(timeout).catch((error: unknown) => replyOf(error)));
    if (!('connection' in open)) {
      drop();
      return { kind: 'away', ...open };
    }
    const outcome = await handOver(open.connection, recipient);
    if (outcome.kind === 'accepted') {
      open.sent++;
      return outcome;
    }
    drop();
    // The server closed the idle connection before this email. Try once more on a new connection.
    const wasOver = outcome.kind === 'retrying' && outcome.reply_code === null && !isFresh;
    return wasOver && !timeout.aborted ? attempt(recipient) : outcome;
  }

  return {
    async send(envelope, message) {
      clearTimeout(idle);
      // A signal of `AbortSignal.timeout` would retain the email until it fires, and with it thousands of emails.
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

/** Runs a step before the first email. Rejects with the server's reply, with a connection error, or at the timeout. */
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

interface HandOver {
  envelope: Envelope;
  message: readonly Buffer[];
  timeout: AbortSignal;
  /** Time at which the attempt times out, as `performance.now()`. */
  endsAt: number;
}

/**
 * Sends one email. The SMTP client pipes the content only after the server's 354 reply. From then on, a lost connection
 * leaves the outcome `unknown`.
 */
const handOver = (connection: SMTPConnection, { envelope, message, timeout, endsAt }: HandOver) =>
  new Promise<Outcome>((resolve) => {
    let wasRequested = false;
    const requested = Object.assign(new Readable(), {
      pipe<T>(to: T) {
        // After a stall, the 354 reply can arrive before the timeout fires, and this process may no longer own the
        // recipient.
        if (performance.now() > endsAt || !(to instanceof Transform)) connection.close();
        else {
          wasRequested = true;
          hand(message, to);
        }
        return to;
      },
    });
    const end = (error: unknown) => resolve(outcomeOf(error, wasRequested));
    timeout.addEventListener('abort', () => end(null), { once: true });
    connection.send({ from: envelope.from, to: [envelope.to] }, requested, (error, info) => {
      if (error) return end(error);
      resolve({ kind: 'accepted', ...replyIn(info?.response ?? '') });
    });
  });

/**
 * Pushes the content to the connection. Its transform would check and copy every byte for SMTP escaping. Content that
 * needs no escaping bypasses it, except the final line break, which the connection writes itself.
 */
function hand(message: readonly Buffer[], to: Transform) {
  const last = message.at(-1);
  if (last?.subarray(-2).toString() === '\r\n' && message.every(isPlain))
    for (const piece of message) to.push(piece === last ? piece.subarray(0, -2) : piece);
  else for (const piece of message) to.write(piece);
  to.end();
}

/** Returns true if no line begins with a dot. */
const isPlain = (piece: Buffer) => piece[0] !== dot && !piece.includes('\n.') && !piece.includes('\r.');

const dot = 0x2e;

function outcomeOf(error: unknown, wasRequested: boolean): Outcome {
  const reply = replyOf(error);
  const code = reply.reply_code;
  if (wasRequested && code === null) return { kind: 'unknown', ...reply };
  return { kind: code !== null && code >= 500 ? 'refused' : 'retrying', ...reply };
}

/** Returns the server's reply to a failed step; empty if the connection was lost. */
const replyOf = (error: unknown): ServerReply => replyIn(responseIn(error) ?? '');

function replyIn(response: string): ServerReply {
  const [, code, status] = /^([2-5]\d\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  return { reply_code: code === undefined ? null : Number(code), reply_status: status ?? null };
}
