import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { comparableEmail } from '../../../shared/contract/email.ts';
import { complaintAddress, openBounceAddress } from '../../../shared/newsletter/mail-tokens.ts';
import { readReport } from './report.ts';
import { type BounceDeps, takeComplaint, takeFailure } from './take-report.ts';

/**
 * Limits for connections, which anyone can open. Only the beginning of an email is parsed, because reports contain
 * their status there.
 */
const bounds = {
  maxBytes: 1024 * 1024,
  readBytes: 64 * 1024,
  readLines: 2_000,
  connections: 50,
  recipients: 10,
  idleMs: 30_000,
  connectionMs: 300_000,
} as const;

/**
 * Receives bounce reports and complaints by SMTP. Refuses other recipients (550) and emails above 1 MiB (552). Drops
 * accepted emails that contain no report. Port 0 chooses a free port, which the result contains. Rejects if it cannot
 * listen on the port.
 */
export async function listenForBounces(
  deps: BounceDeps & { logger: Logger },
  { domain, host, port }: { domain: string; host: string; port: number },
): Promise<AsyncDisposable & { port: number }> {
  const complaints = complaintAddress(domain);
  const inTurn = createTurns();

  // The SMTP library converts domains to U-labels; `comparableEmail` restores the A-labels that were sent.
  async function isTaken(address: string) {
    if (!address.endsWith(`@${domain}`)) return false;
    return address === complaints || (await openBounceAddress(deps, address)) !== null;
  }

  async function take(stream: SMTPServerDataStream, addresses: readonly string[]) {
    const mail = await beginningOf(stream);
    if (stream.sizeExceeded) throw refusal(552, 'message too large');
    const report = await inTurn(() => readReport(mail));
    for (const address of addresses)
      await (address === complaints ? takeComplaint(deps, report) : takeFailure(deps, address, report));
  }

  /** Answers a command. After an internal error the sender is asked to retry later. */
  const answer = (work: Promise<unknown>, done: (error?: Error) => void) =>
    work.then(
      () => done(),
      (err: unknown) => {
        if (err instanceof Error && 'responseCode' in err) return done(err);
        deps.logger.warn({ err }, 'processing a bounce report failed; the mail server was asked to retry');
        done(refusal(451, 'try again later'));
      },
    );

  const server = new SMTPServer({
    name: domain,
    logger: false,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: bounds.maxBytes,
    maxClients: bounds.connections,
    maxRecipients: bounds.recipients,
    socketTimeout: bounds.idleMs,
    closeTimeout: 1_000,
    onRcptTo({ address }, _, done) {
      const check = isTaken(comparableEmail(address)).then((taken) => {
        if (!taken) throw refusal(550, 'no such mailbox');
      });
      void answer(check, done);
    },
    onData(stream, { envelope }, done) {
      void answer(
        take(
          stream,
          envelope.rcptTo.map(({ address }) => comparableEmail(address)),
        ),
        done,
      );
    },
  });
  // These errors come from broken connections.
  server.on('error', (err: Error) => deps.logger.debug({ err }, 'bounce listener: SMTP connection failed'));
  server.server.on('connection', (socket) => {
    const ending = setTimeout(() => socket.destroy(), bounds.connectionMs);
    socket.once('close', () => clearTimeout(ending));
  });
  const listening = server.listen(port, host);
  await once(listening, 'listening');
  return {
    // The server listens on a port, so its address is a network address.
    port: (listening.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/** Returns the beginning of an email, and reads the stream to its end. */
async function beginningOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    if (bytes < bounds.readBytes) parts.push(Buffer.from(part));
    bytes += part.length;
  }
  return firstLines(Buffer.concat(parts).subarray(0, bounds.readBytes));
}

/** Truncates an email to a number of lines, because the parser takes time for each line, even an empty one. */
function firstLines(mail: Buffer): Buffer {
  let end = 0;
  for (let lines = 0; lines < bounds.readLines; lines++) {
    end = mail.indexOf('\n', end) + 1;
    if (end === 0) return mail;
  }
  return mail.subarray(0, end);
}

/** Pause after a task, as a multiple of its duration. */
const rest = 4;

/**
 * Creates a queue that runs one task at a time, with a pause after each. Tasks from strangers therefore take at most a
 * fifth of this process's time.
 */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    let tookMs = 0;
    const turn = last.then(async () => {
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        tookMs = performance.now() - startedAt;
      }
    });
    const rested = () => delay(tookMs * rest);
    last = turn.then(rested, rested);
    return turn;
  };
}
