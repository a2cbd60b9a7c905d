import type { ServerResponse } from 'node:http';
import { startReceiver } from '../tls-receiver.ts';
import { createSecretBook, type SecretBook } from './secret-book.ts';

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
  let [next, strays] = [answer, 0];
  const receiver = await startReceiver({
    certificate,
    answer(request, response) {
      const { body = Buffer.alloc(0), path } = receiver.requests.pop() ?? {};
      if (path === '/elsewhere') strays += 1;
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
    strays: () => strays,
    answerWith(other: ReceiverOptions['answer']) {
      next = other;
    },
  });
}
