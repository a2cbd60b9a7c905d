import { Migration } from '@mikro-orm/migrations';

/**
 * Accents are taken out as before, but faster. Nothing is done for text whose only other signs are such as quotation marks,
 * dashes and emoji, or that is Japanese or Chinese: signs that neither have accents nor become others by what stands beside
 * them. The usual letters of French and German are replaced one after the other, in half of the time that it takes to part all
 * letters from their accents.
 */
export class AccentsSooner extends Migration {
  override up() {
    this.addSql(`
create function replace_usual(value text) returns text language sql immutable parallel safe return (
  ${usual.reduce(replacedWhereAny, 'select value as text')}
)`);
    this.addSql(`
create or replace function without_accents(value text) returns text language sql immutable parallel safe
  return case
    when octet_length(value) = length(value) or value !~ '[^${left}]' then value
    when value !~ '[^${left}${usual.flat().join('')}]' then replace_usual(value)
    else take_accents(value)
  end`);
  }
}

const left =
  '\\x01-\\u00bf\\u2002-\\u203a\\u20a0-\\u20bf\\u3001-\\u3029\\u3030-\\u3098\\u309b-\\u9fff\\uff01-\\uffee\\ufe0f\\U0001f000-\\U0001faff';

/** The letters of French and of German. For languages of more letters than these, parting all is as fast. */
const usual = [[...'éèàêçâôîûùëïœÉÀÈÊÇ'], [...'äöüßÄÖÜ']];

const written: Readonly<Record<string, string>> = { œ: 'oe', ß: 'ss' };

/** Text that has none of them is looked through only. */
const replacedWhereAny = (inner: string, letters: readonly string[]) => {
  const replaced = letters.reduce(
    (value, letter) =>
      `replace(${value}, '${letter}', '${written[letter] ?? letter.normalize('NFD').charAt(0)}')`,
    'text',
  );
  return `select case when text ~ '[${letters.join('')}]' then ${replaced} else text end as text from (${inner} offset 0) given`;
};
