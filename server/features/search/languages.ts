/** PostgreSQL's dictionary of word stems for a language, as versions 15 to 18 have them alike; null where it has none. */
export function stemsOf(language: string): string | null {
  const name = dictionaries[new Intl.Locale(language).language];
  return name ? `${name}_stem` : null;
}

const dictionaries: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/**
 * What words end in. Which forms of a word there are is for the stems of its language to say: of the word and its stem with
 * each of these, those with the same stem. So a list for all languages leads to no false form, and one that it lacks is
 * only found as it is written.
 */
export const endings: readonly string[] = [
  ...['', 's', 'es', 'ed', 'd', 'ing', 'er', 'ers', 'ly', 'y', 'ies', 'ied'],
  ...['e', 'en', 'ern', 'em', 'n', 't', 'te', 'st', 'et', 'ten', 'innen', 'in', 'se', 'ung', 'ungen'],
  ...['é', 'ée', 'és', 'ées', 'ez', 'ent', 'ait', 'ons', 'x', 'ux', 'aux', 'le', 'nt', 'r', 'nte'],
  ...['a', 'o', 'as', 'os', 'i', 'ar', 'ir', 'ado', 'ada', 'ando', 'ões', 'ais', 'are', 'ere', 'ato', 'ano'],
  ...['ene', 'ar', 'or', 'arna', 'orna', 'ene', 'et', 'it', 'ot', 'ut', 'lar', 'ler', 'ları', 'leri'],
  ...['а', 'ы', 'и', 'у', 'е', 'ой', 'ом', 'ов', 'ам', 'ами', 'ах', 'ый', 'ая'],
  ...['ое', 'ые', 'ого', 'ть', 'л', 'ла'],
];
