import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { startReceiver } from '../tls-receiver.ts';

/** Signed request: its headers, body and arrival time (Unix time in ms). */
interface Signed {
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
}

interface Secret {
  text: string;
  /** Time at which the owner learned it (Unix time in ms). */
  knownMs: number;
  libraries: { verify(body: Buffer, headers: Record<string, string>): unknown }[];
}

/**
 * Records the secrets of a subscription in their order, and checks signatures. A signature without a known secret is
 * checked again after the next secret is added, because a rotation may take effect before its answer arrives.
 */
function createSecretBook(graceMs: number) {
  const secrets: Secret[] = [];
  const faults: string[] = [];
  let unknown: Signed[] = [];

  function judge(signed: Signed) {
    const by = secrets.findLastIndex(
      ({ text }) => signed.headers['x-service-signature'] === own(text, signed),
    );
    if (by < 0) unknown.push(signed);
    else faults.push(...faultsOf(signed, by));
  }

  /**
   * Problems of a signature by secret number `by`. The first secret signs alone, later ones together with their
   * predecessor.
   */
  function faultsOf(signed: Signed, by: number): string[] {
    const expected = secrets.slice(Math.max(0, by - 1), by + 1);
    const signatures = String(signed.headers['webhook-signature']).split(' ').length;
    const successor = secrets[by + 1];
    const lateMs = successor ? signed.atMs - successor.knownMs : 0;
    return [
      ...(signatures === expected.length ? [] : [`${signatures} signatures by secret ${by}`]),
      ...(lateMs <= graceMs ? [] : [`signed by secret ${by}, ${lateMs} ms after its successor was known`]),
      ...expected.flatMap(({ libraries }) => libraries.flatMap((library) => verifyFault(library, signed))),
    ];
  }

  return {
    add(text: string) {
      const libraries = [new Webhook(text), new SvixWebhook(text)];
      secrets.push({ text, knownMs: Date.now(), libraries });
      const again = unknown;
      unknown = [];
      again.forEach(judge);
    },
    judge,
    /** Returns all problems, including signatures by unknown secrets. */
    faults: () => [...faults, ...unknown.map(() => 'signed by no secret of this subscription')],
    rotations: () => secrets.length - 1,
  };
}

type SecretBook = ReturnType<typeof createSecretBook>;

const own = (secret: string, { body }: Signed) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function verifyFault(library: Secret['libraries'][number], { headers, body }: Signed): string[] {
  try {
    library.verify(body, plain(headers));
    return [];
  } catch (error) {
    return [`${library.constructor.name}: ${error}`];
  }
}

const plain = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Request that a receiver got. */
export interface Arrival {
  /** Header `X-Service-Delivery`. */
  delivery: string;
  title: string;
  /** Arrival time (Unix time in ms). */
  atMs: number;
  answer: Answer;
}

export type Answer = keyof typeof answers;

/** Ways to answer. `flood` begins with a 2xx status, so it acknowledges. */
const answers = {
  acknowledge: (response) => response.end(),
  'acknowledge late': (response) => setTimeout(() => response.end(), 300),
  flood: (response) => response.end(Buffer.alloc(1_000_000)),
  refuse: (response) => response.writeHead(500).end(),
  redirect: (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  reset: (response) => response.socket?.destroy(),
  hang: () => {},
} as const satisfies Record<string, (response: ServerResponse) => unknown>;

export const isAcknowledged = ({ answer }: Arrival) =>
  answer === 'acknowledge' || answer === 'acknowledge late' || answer === 'flood';

// `Object.keys` returns `string[]`; these are the table's keys, in its order.
const ways = Object.keys(answers) as Answer[];

/** Answer to the n-th request: a plain 200, except that each of the other six ways occurs once in 70 requests. */
export const moody = (n: number): Answer =>
  (n % 10 === 9 && ways[((n - 9) / 10) % ways.length]) || 'acknowledge';

/** Checks whether every way of answering occurred. */
export const areOfEveryWay = (arrivals: readonly Arrival[]) =>
  new Set(arrivals.map(({ answer }) => answer)).size === ways.length;

/** Answer that refuses one request in twenty. */
export const fussy = (n: number): Answer => (n % 20 === 19 ? 'refuse' : 'acknowledge');

interface ReceiverOptions {
  certificate: { cert: string; private: string };
  answer(n: number): Answer;
  /** Time after a rotation during which the previous secret is still accepted, in milliseconds. */
  graceMs: number;
}

/**
 * Starts a receiver that records requests, checks each signature on arrival, and counts senders that follow its
 * redirects.
 */
export async function startCampaignReceiver({ certificate, answer, graceMs }: ReceiverOptions) {
  const arrivals: Arrival[] = [];
  const secrets: SecretBook = createSecretBook(graceMs);
  let [next, misdirected] = [answer, 0];
  const receiver = await startReceiver({
    certificate,
    answer(request, response) {
      const { body = Buffer.alloc(0), path } = receiver.requests.pop() ?? {};
      if (path === '/elsewhere') misdirected += 1;
      const atMs = Date.now();
      const { data }: { data: { title: string } } = JSON.parse(body.toString());
      const delivery = String(request.headers['x-service-delivery']);
      const arrival: Arrival = { delivery, title: data.title, atMs, answer: next(arrivals.length) };
      arrivals.push(arrival);
      secrets.judge({ headers: request.headers, body, atMs });
      answers[arrival.answer](response);
    },
  });
  return Object.assign(receiver, {
    arrivals,
    secrets,
    /** Returns the number of followed redirects. */
    misdirected: () => misdirected,
    answerWith(other: ReceiverOptions['answer']) {
      next = other;
    },
  });
}
