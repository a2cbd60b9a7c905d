import { expect, test } from 'vitest';
import { createDoorkeeper } from './doorkeeper.ts';

test('a question is known from the second time on', () => {
  const wasAsked = createDoorkeeper();
  expect([wasAsked('a'), wasAsked('b'), wasAsked('a'), wasAsked('b'), wasAsked('')]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('of a thousand questions, nearly all are still known; of a hundred thousand, few', () => {
  const wasAsked = createDoorkeeper();
  const questions = Array.from({ length: 1_000 }, (_, n) => `v1.posts.bySlug {"slug":"post-${n}"}`);
  expect(questions.filter(wasAsked)).toEqual([]);
  expect(questions.filter(wasAsked).length).toBeGreaterThan(950);
  const many = Array.from({ length: 100_000 }, (_, n) => `another ${n}`);
  many.forEach(wasAsked);
  expect(many.filter(wasAsked).length).toBeLessThan(10_000);
});
