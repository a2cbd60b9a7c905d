import type { ServerResponse } from 'node:http';
import { startReceiver } from '../tls-receiver.ts';
import { createSecretBook, type SecretBook } from './secret-book.ts';

/** One attempt as its receiver saw it. */
export interface Arrival {
  /** `X-Service-Delivery`. */
  delivery: string;
  title: string;
  /** Unix time in ms. */
  atMs: number;
  answer: Answer;
}

export type Answer = keyof typeof answers;

/** Ways to answer. A flood begins with a 2xx, so it acknowledges. */
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

// The table's keys, in its order.
const ways = Object.keys(answers) as Answer[];

/** What the n-th request gets: a plain 200, but for each of the six other ways once in 70. */
export const moody = (n: number): Answer =>
  (n % 10 === 9 && ways[((n - 9) / 10) % ways.length]) || 'acknowledge';

/** Whether there was every way among them. */
export const areOfEveryWay = (arrivals: readonly Arrival[]) =>
  new Set(arrivals.map(({ answer }) => answer)).size === ways.length;

/** Refuses one request in twenty. */
export const fussy = (n: number): Answer => (n % 20 === 19 ? 'refuse' : 'acknowledge');

interface ReceiverOptions {
  certificate: { cert: string; private: string };
  answer(n: number): Answer;
  /** How long a replaced secret may still be seen. */
  graceMs: number;
}

/** A receiver that keeps what came, checks each signature when it comes, and notes whoever follows its redirects. */
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
    /** How many followed a redirect. */
    strays: () => strays,
    answerWith(other: ReceiverOptions['answer']) {
      next = other;
    },
  });
}
