import { expect, test } from 'vitest';
import { warnOfIneffectiveSettings } from './warn-of-settings.ts';

const plain = {
  PUBLIC_URL: new URL('http://localhost:3000'),
  TRUST_PROXY: [],
  WEB_CONCURRENCY: 1,
  RATE_LIMIT_STORE: 'memory',
} as const;

const https = { ...plain, PUBLIC_URL: new URL('https://content.example.com') };

/** Returns the warnings about the settings, each up to its first colon or comma. */
function warnings(settings: Parameters<typeof warnOfIneffectiveSettings>[0]) {
  const told: string[] = [];
  warnOfIneffectiveSettings(settings, {
    warn: (message: string) => void told.push(message.split(/[:,]/)[0] ?? ''),
  });
  return told;
}

test.for([
  ['plain HTTP', plain, []],
  ['https without a proxy', https, ['PUBLIC_URL is https but TRUST_PROXY is not set']],
  ['https behind a proxy', { ...https, TRUST_PROXY: ['127.0.0.1/32'] }, []],
  ['several processes that each count', { ...plain, WEB_CONCURRENCY: 2 }, ['RATE_LIMIT_STORE is memory']],
  ['several processes', { ...plain, WEB_CONCURRENCY: 2, RATE_LIMIT_STORE: 'database' as const }, []],
] as const)('%s', ([, settings, expected]) => {
  expect(warnings({ ...settings, TRUST_PROXY: [...settings.TRUST_PROXY] })).toEqual(expected);
});
