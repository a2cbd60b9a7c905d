import { expect, test } from 'vitest';
import { warnOfDoubtful } from './doubtful-settings.ts';

const plain = {
  PUBLIC_URL: new URL('http://localhost:3000'),
  TRUST_PROXY: [],
  WEB_CONCURRENCY: 1,
  RATE_LIMIT_STORE: 'memory',
} as const;

const https = { ...plain, PUBLIC_URL: new URL('https://content.example.com') };

/** What is warned of, by the words before the first colon. */
function warnings(settings: Parameters<typeof warnOfDoubtful>[0]) {
  const told: string[] = [];
  warnOfDoubtful(settings, { warn: (message: string) => void told.push(message.split(':')[0] ?? '') });
  return told;
}

test.for([
  ['plain HTTP', plain, []],
  ['https without a proxy', https, ['PUBLIC_URL is https and TRUST_PROXY is empty']],
  ['https behind a proxy', { ...https, TRUST_PROXY: ['127.0.0.1/32'] }, []],
  ['several processes that each count', { ...plain, WEB_CONCURRENCY: 2 }, ['RATE_LIMIT_STORE is memory']],
  ['several processes', { ...plain, WEB_CONCURRENCY: 2, RATE_LIMIT_STORE: 'database' as const }, []],
] as const)('%s', ([, settings, expected]) => {
  expect(warnings({ ...settings, TRUST_PROXY: [...settings.TRUST_PROXY] })).toEqual(expected);
});
