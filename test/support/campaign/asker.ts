import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type CallOptions, createCaller } from '../http.ts';

/** Time limit of a call before another server is tried, in milliseconds. */
const patienceMs = 8_000;

/** Maximum number of attempts per call, which is about half an hour of servers that do not answer. */
const tries = 500;

/** Creates a client for servers that may be killed at any time. */
export function createAsker(servers: () => readonly string[]) {
  let turn = 0;
  let repeated = 0;
  const nextServer = () => {
    const urls = servers();
    turn += 1;
    return urls[turn % urls.length] ?? '';
  };
  const once = (method: string, path: string, options: CallOptions) =>
    createCaller(nextServer())(method, path, { ...options, signal: AbortSignal.timeout(patienceMs) }).catch(
      () => null,
    );
  return {
    /** Returns the number of repeated attempts. */
    repeated: () => repeated,
    /** Sends a request once. Null if there was no answer. */
    once,
    /**
     * Sends a request until the answer is not a server error. All attempts have the same idempotency key, so the write
     * happens once. Throws after too many attempts.
     */
    async ask(method: string, path: string, options: CallOptions): Promise<Answer> {
      const headers = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
      for (let tried = 0; tried < tries; tried++) {
        const answer = await once(method, path, { ...options, headers });
        if (answer && answer.status < 500) return answer;
        repeated += 1;
        await delay(Math.min(2_000, 50 + 50 * tried));
      }
      throw new Error(`no answer to ${method} ${path} after ${tries} attempts`);
    },
  };
}
