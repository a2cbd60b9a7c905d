import { expect, test } from 'vitest';
import { readTarget } from './request-target.ts';

test.for<[target: string, url: string, malformed: boolean]>([
  ['/api/v1/posts?limit=1', '/api/v1/posts?limit=1', false],
  ['/%61pi/v1/posts/%C3%A9', '/%61pi/v1/posts/%C3%A9', false],
  ['/api?tag=%zz', '/api?tag=%zz', false],
  ['http://ada.example.com/api?a=b', '/api?a=b', false],
  ['HTTPS://ada.example.com', '/', false],
  ['http://ada.example.com?a=b', '/?a=b', false],
  ['/api/%zz', '/api/%25zz', true],
  ['/api/100%?a=%20', '/api/100%25?a=%20', true],
  ['/api/%ff%20', '/api/%25ff%2520', true],
  ['/%ED%A0%80', '/%25ED%25A0%2580', true],
  ['http://ada.example.com/%', '/%25', true],
  ['*', '/*', true],
  ['', '/', false],
])('a request with the target "%s" is routed as %s', ([target, url, malformed]) => {
  expect(readTarget(target)).toEqual({ url, malformed });
});
