/** Scripts that are written from right to left, by their codes in BCP 47. */
const fromTheRight = ['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/**
 * Whether a language is written from right to left. By its script, as not every version of Node that this runs on knows
 * the directions of languages.
 */
export const isWrittenFromTheRight = (language: string): boolean =>
  fromTheRight.includes(new Intl.Locale(language).maximize().script ?? '');
