import { Migration } from '@mikro-orm/migrations';

/**
 * Bounds the time for parsing texts without spaces. PostgreSQL's text search parser reads ahead again at each character that may
 * begin a URL or an email address: 90,000 letters separated by underscores took 9 s. Words longer than any query are therefore
 * split before such characters. HTML comments are removed as before; one without an end is read as text.
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

/** End of a part with 200 characters, the maximum length of a query. */
const longWord = '[^ \\n\\t]{200}(?=[_@~/])';

/** End of a part with 64 characters, the maximum length before the `@` of an email address. */
const longName = '[^ \\n\\t]{64}(?=@)';

/* Copied from `0033-accents-sooner.ts`, because a migration must not change with another one. */
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
