import type { TestApp } from './app.ts';
import { eventually } from './eventually.ts';
import { type Answer, createCaller } from './http.ts';

/**
 * Returns the answer of `/readyz` once the database answered its check. On a busy machine the check may exceed its limit
 * of 900 ms, whatever state the test looks for. The answer is cached for a second: the clock of an app in this process
 * moves by as much before each further check.
 */
export function readReadiness(server: TestApp | string): Promise<Answer> {
  return eventually(async () => {
    const answer =
      typeof server === 'string' ? await createCaller(server)('GET', '/readyz') : await server.get('/readyz');
    if (!JSON.stringify(answer.body).includes('database unavailable')) return answer;
    if (typeof server !== 'string') server.clock.advance({ seconds: 1 });
    return null;
  });
}
