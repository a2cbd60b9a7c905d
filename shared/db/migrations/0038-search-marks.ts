import { Migration } from '@mikro-orm/migrations';

/**
 * Makes a word findable beside any typographic mark, in any database.
 *
 * In a database with the locale C, PostgreSQL's text search parser treats every character beyond ASCII as a letter, so that
 * `“word”` was one word. `without_accents`, which prepares indexed text and queries, now
 * replaces marks with spaces, removes joiners, and folds case, so that no locale decides what a word is. It keeps its name
 * because servers of the previous version call it: their queries match the new index without a change.
 *
 * Vectors are stored, so records with characters beyond ASCII are updated. Reads continue during the update, over the old
 * vectors; writes to content wait for its end. No events are recorded and `updated` stays.
 */
export class SearchMarks extends Migration {
  override up() {
    const tables = Object.keys(searchedTexts);
    // A concurrent write would store a vector of the old function that the update below does not see.
    this.addSql(`lock table ${tables.join(', ')} in share row exclusive mode`);
    this.addSql(withoutAccents);
    for (const [table, keys] of Object.entries(titleKeys)) this.addSql(remakeIndexes(table, keys));
    // A generated column is computed again only where a column that it depends on is set. A database with Turkish rules lowered
    // `I` to another letter, so there all vectors change.
    for (const [table, [first, ...others]] of Object.entries(searchedTexts)) {
      const text = `concat(${[first, ...others].join(', ')})`;
      this.addSql(
        `update ${table} set ${first} = ${first} where octet_length(${text}) <> length(${text}) or lower('I') <> 'i'`,
      );
    }
  }
}

/**
 * Ranges of code points by their role in a search. All other characters beyond ASCII are parts of words. The server parses queries
 * and marks snippets by the same table. Unassigned code points inside a range belong to it.
 */
export const searchMarks = {
  removed: [
    'ad 34f 55b-55c 55e-55f 600-605 61c 640 6dd 70f 890-891 8e2 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e',
    '2060-206f 20d0-20f0 3164 fe00-fe0f feff ffa0 fff0-fffb 110bd 110cd 13430-1343f 1bca0-1bca3 1d173-1d17a',
    'e0000-e0fff',
  ],
  spaces: [
    '80-a9 ab-ac ae-b1 b6-b8 bb bf d7 f7 2c2-2c5 2d2-2df 2e5-2eb 2ed 2ef-2ff 375 37e 384-385 387 3f6 482 55d',
    '589-58f 5be 5c0 5c3 5c6 5f4 606-60f 61b 61d-61f 66a-66d 6d4 6de 6e9 6fd-6fe 700-70d 7f6-7f9 7fe-7ff 830-83e',
    '85e 888 964-965 970 9f2-9f3 9fa-9fb 9fd a76 af0-af1 b70 bf3-bfa c77 c7f c84 d4f d79 df4 e3f e4f e5a-e5b',
    'f01-f17 f1a-f1f f34 f36 f38 f3a-f3d f85 fbe-fc5 fc7-fda 104a-104f 109e-109f 10fb 1360-1368 1390-1399 1400',
    '166d-166e 1680 169b-169c 16eb-16ed 1735-1736 17d4-17d6 17d8-17db 1800-180a 1940-1945 19de-19ff 1a1e-1a1f',
    '1aa0-1aa6 1aa8-1aad 1b4e-1b4f 1b5a-1b6a 1b74-1b7f 1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 1fbd',
    '1fbf-1fc1 1fcd-1fcf 1fdd-1fdf 1fed-1fef 1ffd-200a 2012-2029 202f-205f 207a-207e 208a-208e 20a0-20c1',
    '2100-2101 2103-2106 2108-2109 2114 2116-2118 211e-2123 2125 2127 2129 212e 213a-213b 2140-2144 214a-214d',
    '214f 218a-244a 249c-24e9 2500-2775 2794-2bff 2ce5-2cea 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-3004',
    '3008-3020 3030 3036-3037 303d-303f 309b-309c 30a0 30fb 3190-3191 3196-319f 31c0-31ef 3200-321e 322a-3247',
    '3250 3260-327f 328a-32b0 32c0-33ff 4dc0-4dff a490-a4c6 a4fe-a4ff a60d-a60f a673 a67e a6f2-a716 a720-a721',
    'a789-a78a a828-a82b a836-a839 a874-a877 a8ce-a8cf a8f8-a8fa a8fc a92e-a92f a95f a9c1-a9cd a9de-a9df',
    'aa5c-aa5f aa77-aa79 aade-aadf aaf0-aaf1 ab5b ab6a-ab6b abeb e000-f8ff fb29 fbb2-fbd2 fd3e-fd4f fd90-fd91',
    'fdc8-fdcf fdfc-fdff fe10-fe19 fe30-fe6b ff01-ff0f ff1a-ff20 ff3b-ff40 ff5b-ff65 ffe0-ffee fffc-fffd',
    '10100-10102 10137-1013f 10179-10189 1018c-101fc 1039f 103d0 1056f 10857 10877-10878 1091f 1093f 10a50-10a58',
    '10a7f 10ac8 10af0-10af6 10b39-10b3f 10b99-10b9c 10d6e 10d8e-10d8f 10ead 10ed0-10ed8 10f55-10f59 10f86-10f89',
    '11047-1104d 110bb-110bc 110be-110c1 11140-11143 11174-11175 111c5-111c8 111cd 111db 111dd-111df 11238-1123d',
    '112a9 113d4-113d8 1144b-1144f 1145a-1145d 114c6 115c1-115d7 11641-11643 11660-1166c 116b9 1173c-1173f 1183b',
    '11944-11946 119e2 11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11b00-11b09 11be1 11c41-11c45 11c70-11c71 11ef7-11ef8',
    '11f43-11f4f 11fd5-11fff 12470-12474 12ff1-12ff2 16a6e-16a6f 16af5 16b37-16b3f 16b44-16b45 16d6d-16d6f',
    '16e97-16e9a 16fe2 1bc9c 1bc9f 1cc00-1ccef 1ccfa-1cef0 1cf50-1d164 1d16a-1d16c 1d183-1d184 1d18c-1d1a9',
    '1d1ae-1d241 1d245 1d300-1d356 1d6c1 1d6db 1d6fb 1d715 1d735 1d74f 1d76f 1d789 1d7a9 1d7c3 1d800-1d9ff',
    '1da37-1da3a 1da6d-1da74 1da76-1da83 1da85-1da8b 1e14f 1e2ff 1e5ff 1e95e-1e95f 1ecac 1ecb0 1ed2e 1eef0-1f0f5',
    '1f10d-1fbef 1fbfa f0000-10fffd',
  ],
  apostrophes: ['b4 2b9 2bb-2bf 374 55a 5f3 2018-201b 2032 2035 a78b-a78c ff07'],
  hyphens: ['2010-2011'],
} as const;

/** Frequent marks of European and East Asian texts. Single replacements take less time than one regular expression. */
const usualMarks = '“”„«»–—…\u00a0\u202f';

const usualMarksOfEastAsia = '、。・「」『』（），！？：\u3000';

/** Letters of French and German. Letters of a group often occur together, so one regular expression checks for all of them. */
const usualLetters = ['éèàêçâôîûùëïœ', 'ÉÀÈÊÇ', 'äöüßÄÖÜ'];

const replaceEach = (from: string, to: (character: string) => string) =>
  [...from].reduce((value, character) => `replace(${value}, '${character}', '${to(character)}')`, 'value');

const plainLetters: Readonly<Record<string, string>> = { œ: 'oe', ß: 'ss' };

const withoutAccent = (letter: string) => plainLetters[letter] ?? letter.normalize('NFD').charAt(0);

const codePoint = (hex: string) =>
  hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;

/** Returns ranges of code points in the form of a bracket expression of PostgreSQL's regular expressions. */
const within = (kind: keyof typeof searchMarks) =>
  searchMarks[kind]
    .flatMap((line) => line.split(' '))
    .map((range) => range.split('-').map(codePoint).join('-'))
    .join('');

const [removed, apostrophes, hyphens, spaces] = [
  within('removed'),
  within('apostrophes'),
  within('hyphens'),
  within('spaces'),
];

/* The parts on long words and comments are those of `0036-long-words.ts`. */
const withoutAccents = `
create or replace function without_accents(value text) returns text language plpgsql immutable parallel safe as $$
begin
  if length(value) > 500 then
    if strpos(value, '<!--') > 0 then
      value := replace(regexp_replace(value, '<!--.*?-->', ' ', 'g'), '<!--', ' ');
    end if;
    if value ~ '[^ \\n\\t]{200}(?=[_@~/])' then
      value := regexp_replace(regexp_replace(value, '[^ \\n\\t]{200}(?=[_@~/])', '\\& ', 'g'), '[^ \\n\\t]{64}(?=@)', '\\& ', 'g');
    end if;
  end if;
  if octet_length(value) = length(value) then
    return lower(value collate "C");
  end if;
  value := ${replaceEach('‘’', () => "''")};
  value := ${replaceEach(usualMarks, () => ' ')};
  if octet_length(value) = length(value) then
    return lower(value collate "C");
  end if;
  if value !~ '[^\\x01-\\x7f${usualLetters.join('')}]' then
    ${usualLetters.map((letters) => `if value ~ '[${letters}]' then value := ${replaceEach(letters, withoutAccent)}; end if;`).join(' ')}
    return lower(value collate "C");
  end if;
  if value ~ '[\\u3000-\\u300f\\u30fb\\uff00-\\uff1f]' then
    value := ${replaceEach(usualMarksOfEastAsia, () => ' ')};
  end if;
  if value ~ '[${removed}${apostrophes}${hyphens}${spaces}]' then
    value := regexp_replace(value, '[${removed}]+', '', 'g');
    value := regexp_replace(value, '[${apostrophes}]', '''', 'g');
    value := regexp_replace(value, '[${spaces}]+', ' ', 'g');
    value := regexp_replace(value, '(?<=[^ \\n\\t])[${hyphens}](?=[^ \\n\\t0-9])', '-', 'g');
    value := regexp_replace(value, '[${hyphens}]', ' ', 'g');
  end if;
  if value !~ '[^\\x01-\\x7f\\u3005-\\u3098\\u309d-\\u9fff]' then
    return lower(value collate "C");
  end if;
  value := regexp_replace(normalize(lower(value collate "und-x-icu"), nfd), '[\\u0300-\\u036f]+', '', 'g');
  if value ~ '[\\u0530-\\u1dff\\u2c00-\\U0010ffff]' then
    value := normalize(value, nfc);
  end if;
  if value ~ '[øłđıßæœς]' then
    value := replace(replace(replace(translate(value, 'øłđıς', 'oldiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
  end if;
  return value;
end $$`;

/** Index keys between the site and the search vector, for tables with the title as a key. */
const title = "to_tsvector('simple'::regconfig, without_accents(title))";
const titleKeys: Readonly<Record<string, readonly string[]>> = {
  posts: ['tags', title],
  projects: ['tech_stack', 'tags', title],
  courses: ['tags', 'learning_outcomes', title],
  talks: [title],
  pages: [title],
};

/*
 * PostgreSQL keeps the expressions of an index that was made in the same transaction as it read them then. After `0032-accents`
 * in the same run they call a function that has been dropped since, so the indexes are made again; otherwise they stay.
 */
const remakeIndexes = (table: string, keys: readonly string[]) => `
do $$ begin
  if exists (select from migrations where name = '0032-accents' and executed_at >= date_trunc('second', now())) then
    drop index ${table}_narrowed_idx, ${table}_withheld_idx;
    ${[
      ['narrowed', 'coalesce(is_public, false)'],
      ['withheld', 'not coalesce(is_public, false)'],
    ]
      .map(
        ([name, rows]) =>
          `create index ${table}_${name}_idx on ${table} using gin (site_id collate "C", ${[...keys, 'search'].join(', ')}) with (gin_pending_list_limit = 1024) where ${rows};`,
      )
      .join('\n    ')}
  end if;
end $$`;

/** Columns whose text is searched, by table. */
const searchedTexts: Readonly<Record<string, readonly string[]>> = {
  posts: ['title', 'excerpt', 'content'],
  pages: ['title', 'content'],
  projects: ['title', 'description', 'tech_stack', 'tags'],
  courses: ['title', 'description', 'instructor_name', 'instructor_bio', 'tags', 'learning_outcomes'],
  talks: ['title', 'event', 'location', 'description'],
  experience: ['company', 'title', 'location', 'description', 'bullets', 'skills'],
  education: ['institution', 'degree', 'field', 'description'],
  skills: ['name', 'category', 'proficiency'],
  certifications: ['name', 'issuer', 'credential_id'],
};
