import { Migration } from '@mikro-orm/migrations';

/**
 * Texts without blanks, and comments without an end, are read in a time that grows with their length. PostgreSQL's parser of
 * words looks ahead again and again in what may be an address of the web or of mail: 90,000 letters with underscores between
 * them took 9 s, longer than any write may. So what is longer than anything that can be asked for is parted where it
 * would begin to look anew. Comments of HTML had no words in them as far as they ended; those that don't are text.
 */
export class LongWords extends Migration {
  override up() {
    this.addSql(`
create or replace function without_accents(value text) returns text language plpgsql immutable parallel safe as $$
begin
  if length(value) > 500 then
    if strpos(value, '<!--') > 0 then
      value := replace(regexp_replace(value, '<!--.*?-->', ' ', 'g'), '<!--', ' ');
    end if;
    if value ~ '${longWord}' then
      value := regexp_replace(regexp_replace(value, '${longWord}', '\\& ', 'g'), '${longName}', '\\& ', 'g');
    end if;
  end if;
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
  }
}

/** What is asked for has at most 200 characters. */
const longWord = '[^ \\n\\t]{200}(?=[_@~/])';

/** What stands before the sign of an address of mail has at most 64. */
const longName = '[^ \\n\\t]{64}(?=@)';

/* As before: `0033-accents-sooner.ts`. */
const bare =
  '\\x01-\\u00bf\\u2002-\\u203a\\u20a0-\\u20bf\\u3001-\\u3029\\u3030-\\u3098\\u309b-\\u9fff\\uff01-\\uffee\\ufe0f\\U0001f000-\\U0001faff';

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
