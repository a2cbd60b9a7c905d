import type { ServerResponse } from 'node:http';
import { startReceiver } from './tls-receiver.ts';

/** One attempt as its receiver saw it. */
export interface Arrival {
  /** `X-Service-Delivery`. */
  delivery: string;
  /** Title of the record that the event tells of. */
  title: string;
  /** On the clock of `performance.now()`. */
  atMs: number;
  /** What was answered; null for nothing. */
  status: number | null;
}

/** What to answer: a status, or null to leave the sender waiting. */
type Answer = (arrival: Arrival) => number | null;

/** A receiver that counts for itself what arrives, so that tests need not believe the sender's own log. */
export async function startCountingReceiver(certificate?: { cert: string; private: string }) {
  const arrivals: Arrival[] = [];
  const waiting: { arrival: Arrival; response: ServerResponse }[] = [];
  let answer: Answer = () => 200;
  let onArrival: (arrival: Arrival) => void = () => {};
  const receiver = await startReceiver({
    ...(certificate ? { certificate } : {}),
    answer(request, response) {
      const body: { data: { title: string } } = JSON.parse(String(receiver.requests.pop()?.body));
      const delivery = String(request.headers['x-service-delivery']);
      const arrival: Arrival = { delivery, title: body.data.title, atMs: performance.now(), status: null };
      arrival.status = answer(arrival);
      arrivals.push(arrival);
      onArrival(arrival);
      if (arrival.status === null) waiting.push({ arrival, response });
      else response.writeHead(arrival.status).end();
    },
  });
  return {
    url: receiver.url,
    port: receiver.port,
    ca: receiver.ca,
    arrivals,
    answerWith(next: Answer) {
      answer = next;
    },
    /** Answers, with 200, who was left waiting. */
    letGo() {
      for (const { arrival, response } of waiting.splice(0)) {
        arrival.status = 200;
        response.end();
      }
    },
    /** Drops the connections of those who were left waiting. */
    hangUp() {
      for (const { response } of waiting.splice(0)) response.socket?.destroy();
    },
    /** The next arrival, told before it is answered. */
    nextArrival: () =>
      new Promise<Arrival>((resolve) => {
        onArrival = resolve;
      }),
    [Symbol.asyncDispose]: receiver[Symbol.asyncDispose],
  };
}

export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>;
