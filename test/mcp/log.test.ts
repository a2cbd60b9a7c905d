import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { sendMessage, toolCall } from '../support/assistant.ts';

type Line = Record<string, unknown>;

test('each call writes one log line with tool, key prefix, outcome, duration and request id, and no input', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await using app = await startApp({ logger });
  const key = await app.seed.key({ scopes: ['mcp:skills:write', 'mcp:posts:read'] });
  const secret = 'a secret between us';
  const sent = [
    toolCall('create_skill', { name: secret }),
    toolCall('create_skill', { nickname: secret }),
    toolCall('create_talk', { title: secret }),
    toolCall(secret),
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `site://posts/${secret}` } },
  ];
  const ids: unknown[] = [];
  for (const message of sent)
    ids.push((await sendMessage(app, message, { key })).headers.get('x-request-id'));
  const calls = lines.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg === 'assistant call');
  const line = (requested: Line, outcome: string, index: number) => ({
    ...requested,
    outcome,
    key_prefix: key.slice(0, 21),
    ms: expect.any(Number),
    id: ids[index],
  });
  const shown = calls.map(({ tool, resource, outcome, key_prefix, ms, request_id, reqId }) => ({
    ...(tool ? { tool } : { resource }),
    outcome,
    key_prefix,
    ms,
    id: request_id ?? reqId,
  }));
  expect(shown).toEqual([
    line({ tool: 'create_skill' }, 'ok', 0),
    line({ tool: 'create_skill' }, 'validation_failed', 1),
    line({ tool: 'create_talk' }, 'insufficient_scope', 2),
    line({ tool: 'unknown' }, 'invalid_request', 3),
    line({ resource: 'post' }, 'not_found', 4),
  ]);
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).not.toContain(key);
});
