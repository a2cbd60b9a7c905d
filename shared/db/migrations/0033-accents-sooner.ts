import { Migration } from '@mikro-orm/migrations';

/**
 * Faster removal of accents, with equal results. PostgreSQL plans a function in SQL again for each written row; it caches the plan
 * of one in PL/pgSQL. Text without accents is returned unchanged, including quotation marks, dashes, emoji, Japanese and Chinese.
 * The usual letters of French and German are replaced one by one, which takes half the time of a Unicode decomposition.
 */
export class AccentsSooner extends Migration {
  override up() {
    this.addSql(`
create or replace function without_accents(value text) returns text language plpgsql immutable parallel safe as $$
begin
  if octet_length(value) = length(value) or value !~ '[^${bare}]' then
    return value;
  end if;
  if value !~ '[^${bare}${usual.join('')}]' then
    ${usual.map(replaceAny).join(' ')}
    return value;
  end if;
  value := regexp_replace(normalize(value, nfd), '[\\u0300-\\u036f]+', '', 'g');
  if value ~ '[\\u0530-\\u1dff\\u2c00-\\uffff]' then
    value := normalize(value, nfc);
  end if;
  if value ~ '[ØøŁłĐđıßẞæÆœŒ]' then
    value := replace(replace(replace(replace(replace(replace(
      translate(value, 'ØøŁłĐđı', 'OoLlDdi'), 'ß', 'ss'), 'ẞ', 'SS'), 'æ', 'ae'), 'Æ', 'AE'), 'œ', 'oe'), 'Œ', 'OE');
  end if;
  return value;
end $$`);
    this.addSql('drop function take_accents');
  }
}

/** Characters without accents, as ranges of a regular expression. */
const bare =
  '\\x01-\\u00bf\\u2002-\\u203a\\u20a0-\\u20bf\\u3001-\\u3029\\u3030-\\u3098\\u309b-\\u9fff\\uff01-\\uffee\\ufe0f\\U0001f000-\\U0001faff';

/** Letters of French and German. Letters of a group often occur together, so one regular expression checks for all of them. */
const usual = ['éèàêçâôîûùëïœ', 'ÉÀÈÊÇ', 'äöüßÄÖÜ'];

const written: Readonly<Record<string, string>> = { œ: 'oe', ß: 'ss' };

const replaceAny = (letters: string) => {
  const replaced = [...letters].reduce(
    (value, letter) =>
      `replace(${value}, '${letter}', '${written[letter] ?? letter.normalize('NFD').charAt(0)}')`,
    'value',
  );
  return `if value ~ '[${letters}]' then value := ${replaced}; end if;`;
};
