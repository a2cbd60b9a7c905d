import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type CallOptions, createCaller } from '../http.ts';

/** How long one call may take before another server is asked. */
const patienceMs = 8_000;

/** Bounds the whole at about half an hour of servers that don't answer. */
const tries = 500;

/** Asks servers that may die at any moment. */
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
    /** How often a call had to be made again. */
    repeated: () => repeated,
    /** One try: null when nothing was answered. */
    once,
    /** Asks until it is answered by other than a failure of the service, under one idempotency key: done once. */
    async ask(method: string, path: string, options: CallOptions): Promise<Answer> {
      const headers = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
      for (let tried = 0; tried < tries; tried++) {
        const answer = await once(method, path, { ...options, headers });
        if (answer && answer.status < 500) return answer;
        repeated += 1;
        await delay(Math.min(2_000, 50 + 50 * tried));
      }
      throw new Error(`${method} ${path} was not answered`);
    },
  };
}
