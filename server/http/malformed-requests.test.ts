import { Agent, get, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { trackLatestAnswers } from './malformed-requests.ts';

test('a connection that is kept alive does not keep its last answer in memory', async () => {
  const app = Fastify();
  trackLatestAnswers(app);
  app.get('/', async () => 'text');
  let response: WeakRef<ServerResponse> | undefined;
  app.server.on('request', (_request, made) => {
    response = new WeakRef(made);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  await new Promise((resolve) => get(url, { agent }, (answer) => answer.resume().once('end', resolve)));
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  // A weak reference keeps its target until the end of the event loop turn that created it.
  for (let round = 0; round < 50 && response?.deref(); round++) {
    await delay(10);
    collectGarbage();
  }
  expect(app.server.listening).toBe(true);
  expect(Object.values(agent.freeSockets)).toHaveLength(1);
  expect(response?.deref()).toBeUndefined();
  agent.destroy();
  await app.close();
});
