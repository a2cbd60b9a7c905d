import { expect, test } from 'vitest';
import { withSignedFiles } from './lesson-media.ts';

const visit = { origin: 'https://grace.example', publicOrigin: 'https://host.example' };
const [id, open] = ['mb3k9x2a7f0q1zd', 'mb3k9x2a7f0q1ze'];
const files = [{ id, query: 'until=1767225600&sig=abc' }];
const signed = (body: string) => withSignedFiles(visit, body, files);

const path = `/media/${id}/a%20slide.pdf`;
const query = 'until=1767225600&amp;sig=abc';

test.for([
  [`<a href="${path}">Slides</a>`, `<a href="${path}?${query}">Slides</a>`],
  [`<a href="https://grace.example${path}#page=2">S</a>`, `<a href="${path}?${query}#page=2">S</a>`],
  [`<a href="https://host.example${path}?until=1&amp;sig=old">S</a>`, `<a href="${path}?${query}">S</a>`],
  [`<video src="${path}" poster="${path}">`, `<video src="${path}?${query}" poster="${path}?${query}">`],
  [
    `<img src="${path}" srcset="/media/${id}/400/a.webp 400w, ${path} 900w">`,
    `<img src="${path}?${query}" srcset="/media/${id}/400/a.webp?${query} 400w, ${path}?${query} 900w">`,
  ],
] as const)('addresses of a protected file in %s get its signature', ([body, expected]) => {
  expect(signed(body)).toBe(expected);
});

test.for([
  `<a href="/media/${open}/a.pdf">A file that is not protected</a>`,
  `<a href="https://evil.example${path}">S</a>`,
  `<a href="https://grace.example.evil.example${path}">S</a>`,
  `<a href="https://evil.example/?https://grace.example${path}">S</a>`,
  `<a href="//evil.example${path}">S</a>`,
  `<a href="https://grace.example@evil.example${path}">S</a>`,
  `<img srcset="https://evil.example/x,${path} 1x, https://evil.example${path} 2x">`,
  `<p title="${path}">${path}</p>`,
  `<a href="/media/${id}">S</a>`,
  `<a href="/posts/media/${id}/a.pdf">S</a>`,
])('no address in %s gets the signature of a protected file', (body) => {
  expect(signed(body)).toBe(body);
});
