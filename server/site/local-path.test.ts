import { expect, test } from 'vitest';
import { ownPath } from './local-path.ts';

// The input of a redirect is untrusted.

const sites = ['http://site.example', 'https://site.example', 'https://site.example:8443/posts/a?b#c'];

/** Prefixes that a browser may read as part of a URL, or ignore. */
const starts = [
  '',
  '/',
  '\\',
  '//',
  '\\\\',
  '/\\',
  '\\/',
  '/./',
  '/../',
  '/.',
  '/..',
  '/x/..',
  '/x/../',
  '/%2e/',
];
const more = [
  '/%2E%2e/',
  '/.%2e/',
  '/%2e',
  '/%2f',
  '/%5c',
  '/%00/',
  '/\t/',
  '/\n',
  '\r\n/',
  ' /',
  '/\0/',
  '/;/',
];
const schemes = [
  'http:',
  'https:',
  'HtTpS:',
  'javascript:',
  'data:text/html,',
  '///',
  '/\u2215/',
  '/\uff0f',
  '/@',
  '/:',
];
const middles = ['', '/', '//', '\\', '/\\', '/./', '\t/'];
const spellings = [...starts, ...more, ...schemes].flatMap((start) =>
  middles.map((middle) => `${start}${middle}evil.example`),
);

test('no spelling of an address redirects to another host, also when it is resolved twice', () => {
  expect(spellings.length).toBeGreaterThan(200);
  const elsewhere = spellings.flatMap((text) => {
    const path = ownPath(text);
    if (path === null) return [];
    const isPlain = /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.split('?', 1)[0]?.includes('\\');
    const isOwn = sites.every((site) => new URL(path, site).origin === new URL(site).origin);
    return isPlain && isOwn && ownPath(path) === path ? [] : [[text, path]];
  });
  expect(elsewhere).toEqual([]);
});

test.for([
  ['/', '/'],
  ['/posts/a?b=c&d=%2F%2Fe', '/posts/a?b=c&d=%2F%2Fe'],
  ['/posts/a#b', '/posts/a'],
  ['/posts/über', '/posts/%C3%BCber'],
  ['/x/../posts/a', '/posts/a'],
  ['/..//evil.example', null],
  ['/.//evil.example', null],
  ['/x/..//evil.example', null],
  ['/%2e%2e//evil.example', null],
  ['/.\\/evil.example', null],
  ['//evil.example', null],
  ['/\\evil.example', null],
  ['/\t/evil.example', null],
  ['https://evil.example/', null],
  ['posts/a', null],
  ['', null],
] as const)('as a path of the site itself, %j resolves to %j', ([text, path]) => {
  expect(ownPath(text)).toBe(path);
});
