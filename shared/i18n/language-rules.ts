/** Scripts that are written from right to left, by their codes in BCP 47. */
const fromTheRight = ['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/**
 * Whether a language is written from right to left. By its script, as not every version of Node that this runs on knows
 * the directions of languages.
 */
export const isWrittenFromTheRight = (language: string): boolean =>
  fromTheRight.includes(new Intl.Locale(language).maximize().script ?? '');

const lettersFromTheRight =
  /[\p{sc=Adlm}\p{sc=Arab}\p{sc=Hebr}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Rohg}\p{sc=Samr}\p{sc=Syrc}\p{sc=Thaa}]/gu;

/** How much of a text tells how it is read. */
const told = 2_000;

/**
 * Whether a text itself is read from right to left: more than a third of its letters are, as addresses, tags and names are
 * written from the left everywhere. Its first letter would tell less: many a text begins with a foreign word.
 */
export function isReadFromTheRight(text: string): boolean {
  const beginning = text.slice(0, told);
  const count = (letters: RegExp) => beginning.match(letters)?.length ?? 0;
  return 3 * count(lettersFromTheRight) > count(/\p{L}/gu);
}

/** One text for each form that a language has for numbers, by the names of Intl.PluralRules; `#` stands for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Keeps the type of a table open for the forms of other languages. */
export const plural = (forms: Plural): Plural => forms;
