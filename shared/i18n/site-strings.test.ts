import { expect, test } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pt } from './pt.ts';
import { siteStrings } from './site-strings.ts';

const others = [de, es, fr, it, ja, nl, pt].map((strings) => [strings.language, strings] as const);

/**
 * Returns every string of a table with its path. Functions are called with marks as arguments, which their text must
 * contain.
 */
function textsOf(table: object, above = ''): [position: string, text: string][] {
  return Object.entries(table).flatMap(([name, entry]: [string, unknown]) => {
    const position = `${above}${name}`;
    if (typeof entry === 'function') return [[position, String(entry('<1>', '<2>'))]];
    if (typeof entry === 'object' && entry !== null) return textsOf(entry, `${position}.`);
    return [[position, String(entry)]];
  });
}

const marksIn = (text: string) => [...new Set(text.match(/<\d>|\{address\}|#/g))].toSorted();

test.for(others)('%s inserts the same values as English, and leaves nothing in English', ([, strings]) => {
  const texts = new Map(textsOf(strings));
  for (const [position, english] of textsOf(en)) {
    const text = texts.get(position);
    // Languages have different plural categories, so compare the one that all have.
    if (text === undefined) expect(position).toMatch(/\.one$/);
    else expect([position, marksIn(text)]).toEqual([position, marksIn(english)]);
  }
  const long = textsOf(en).filter(([, text]) => text.split(' ').length > 3);
  expect(long.filter(([position, text]) => texts.get(position) === text)).toEqual([]);
});

test.for(others)(
  '%s has strings for its language in any region, with the plural forms that Intl requires',
  ([language, strings]) => {
    expect(siteStrings(`${language}-XX`)).toBe(strings);
    const rules = new Intl.PluralRules(language);
    for (const count of [0, 1, 2, 5, 1_000])
      expect(strings.postCount[rules.select(count)] ?? strings.postCount.other).toContain('#');
  },
);
