import { expect, test } from 'vitest';
import { createDoorkeeper } from './response-cache.ts';

test('the doorkeeper of the response cache recognizes a request from its second time on', () => {
  const noteRequested = createDoorkeeper();
  expect([
    noteRequested('a'),
    noteRequested('b'),
    noteRequested('a'),
    noteRequested('b'),
    noteRequested(''),
  ]).toEqual([false, false, true, true, false]);
});

test('of a thousand requests the doorkeeper recognizes nearly all again, of a hundred thousand only few', () => {
  const noteRequested = createDoorkeeper();
  const questions = Array.from({ length: 1_000 }, (_, n) => `v1.posts.bySlug {"slug":"post-${n}"}`);
  expect(questions.filter(noteRequested)).toEqual([]);
  expect(questions.filter(noteRequested).length).toBeGreaterThan(950);
  const many = Array.from({ length: 100_000 }, (_, n) => `another ${n}`);
  many.forEach(noteRequested);
  expect(many.filter(noteRequested).length).toBeLessThan(10_000);
});
