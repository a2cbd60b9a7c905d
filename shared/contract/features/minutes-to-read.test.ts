import { expect, test } from 'vitest';
import { minutesToRead } from './minutes-to-read.ts';

/** Sentences with about ten words. */
const sentences = {
  English: 'It was a quiet day and we walked the goose. ',
  Chinese: '今天我们在公园里一起看书和写字。',
  Japanese: '今日は友達と公園で本を読む。',
  Thai: 'วันนี้เราไปเดินเล่นที่สวนกับเพื่อน',
};

test.for(Object.entries(sentences))(
  'the reading time of a text in %s depends on its number of words',
  ([, sentence]) => {
    expect(minutesToRead(sentence)).toBe(1);
    const short = minutesToRead(sentence.repeat(115));
    expect(short).toBeGreaterThanOrEqual(4);
    expect(short).toBeLessThanOrEqual(6);
    expect(minutesToRead(sentence.repeat(1_150))).toBeGreaterThanOrEqual(40);
  },
);

test('a few foreign words do not change the reading time', () => {
  const text = sentences.English.repeat(230);
  expect(minutesToRead(text)).toBe(10);
  const mixed = minutesToRead(`${text}${sentences.Chinese}`);
  expect(mixed).toBeGreaterThanOrEqual(9);
  expect(mixed).toBeLessThanOrEqual(11);
});

test('the reading time of an empty text is one minute', () => {
  expect(minutesToRead('')).toBe(1);
});
