const wordsPerMinute = 230;

/** Estimates the reading time of a text, in whole minutes. The result is at least 1, also for an empty text. */
export const minutesToRead = (content: string): number =>
  Math.max(1, Math.round(countWords(content) / wordsPerMinute));

/** Characters of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which are written without spaces between words. */
const withoutBlanks = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;

const countWords = (text: string): number =>
  withoutBlanks.test(text) ? estimateWords(text) : countGaps(text) + 1;

/** Counts gaps between words. An array of the words would double the garbage of rendering a page. */
function countGaps(text: string): number {
  const pattern = /\s+/g;
  let gaps = 0;
  while (pattern.test(text)) gaps++;
  return gaps;
}

const samples = 4;
const sampleLength = 250;

/** Estimates the number of words from samples, because segmenting a whole text takes as long as rendering it. */
function estimateWords(text: string): number {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  let words = 0;
  let read = 0;
  for (let number = 0; number < samples; number++) {
    const at = Math.floor((number * text.length) / samples);
    const piece = text.slice(at, at + Math.min(sampleLength, Math.ceil(text.length / samples)));
    for (const { isWordLike } of segmenter.segment(piece)) if (isWordLike) words++;
    read += piece.length;
  }
  return (words * text.length) / read;
}
