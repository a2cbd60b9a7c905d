import { expect, test } from 'vitest';
import { createDoorkeeper } from './response-cache.ts';

test('a question is known from the second time on', () => {
  const noteAsked = createDoorkeeper();
  expect([noteAsked('a'), noteAsked('b'), noteAsked('a'), noteAsked('b'), noteAsked('')]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('of a thousand questions nearly all are still known, of a hundred thousand only few', () => {
  const noteAsked = createDoorkeeper();
  const questions = Array.from({ length: 1_000 }, (_, n) => `v1.posts.bySlug {"slug":"post-${n}"}`);
  expect(questions.filter(noteAsked)).toEqual([]);
  expect(questions.filter(noteAsked).length).toBeGreaterThan(950);
  const many = Array.from({ length: 100_000 }, (_, n) => `another ${n}`);
  many.forEach(noteAsked);
  expect(many.filter(noteAsked).length).toBeLessThan(10_000);
});
