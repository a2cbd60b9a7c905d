/** Scripts that are written from right to left, by ISO 15924 code. */
const fromTheRight = ['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/**
 * Returns true if a language is written from right to left. It uses the script, because some supported versions of Node
 * do not know text directions.
 */
export const isWrittenFromTheRight = (language: string): boolean =>
  fromTheRight.includes(new Intl.Locale(language).maximize().script ?? '');

const lettersFromTheRight =
  /[\p{sc=Adlm}\p{sc=Arab}\p{sc=Hebr}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Rohg}\p{sc=Samr}\p{sc=Syrc}\p{sc=Thaa}]/gu;

/** Number of characters that determine a text's direction. */
const told = 2_000;

/**
 * Returns true if more than a third of a text's letters are written from right to left. Addresses, tags and names are
 * written from left to right in every language. The first letter is less reliable, because many texts begin with a
 * foreign word.
 */
export function isReadFromTheRight(text: string): boolean {
  const beginning = text.slice(0, told);
  const count = (letters: RegExp) => beginning.match(letters)?.length ?? 0;
  return 3 * count(lettersFromTheRight) > count(/\p{L}/gu);
}

/** Text for each plural category of a language, by the names of `Intl.PluralRules`. `#` stands for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Returns the forms with a type that allows the categories of other languages. */
export const plural = (forms: Plural): Plural => forms;
