import type { ServerResponse } from 'node:http';
import { startReceiver } from './tls-receiver.ts';

/** Request that a receiver got. */
export interface Arrival {
  /** Header `X-Service-Delivery`. */
  delivery: string;
  /** Title of the event's record. */
  title: string;
  /** Arrival time in milliseconds, by `performance.now()`. */
  atMs: number;
  /** Status of the answer; null if there was none. */
  status: number | null;
}

/** Answer to a request: a status, or null to send nothing. */
type Answer = (arrival: Arrival) => number | null;

/** Starts a receiver that counts requests itself, so that tests do not rely on the sender's log. */
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
    /** Answers the waiting requests with 200. */
    letGo() {
      for (const { arrival, response } of waiting.splice(0)) {
        arrival.status = 200;
        response.end();
      }
    },
    /** Closes the connections of the waiting requests. */
    hangUp() {
      for (const { response } of waiting.splice(0)) response.socket?.destroy();
    },
    /** Resolves with the next request, before it is answered. */
    nextArrival: () =>
      new Promise<Arrival>((resolve) => {
        onArrival = resolve;
      }),
    [Symbol.asyncDispose]: receiver[Symbol.asyncDispose],
  };
}

export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>;
