import { Migration } from '@mikro-orm/migrations';

/**
 * Brings tags, names and other text that is compared to Unicode NFC, the form of all input since.
 * Values of a list that become equal are merged at the position of the first.
 *
 * Only rows in another form are written. Their `updated` stays and no events are recorded, since readers see the same
 * letters; the triggers of `collection_state` drop cached answers. The history and the trash are brought along, so that
 * restoring a record does not bring the other form back. Writes to these tables wait until the migration ends.
 */
export class NormalizedNames extends Migration {
  override up() {
    this.addSql(`lock table ${Object.keys(compared).join(', ')} in share row exclusive mode`);
    this.addSql(nfcList);
    for (const [table, { lists = [], texts = [] }] of Object.entries(compared)) {
      const columns = [...lists.map(listColumn), ...texts.map(textColumn)];
      this.addSql(`
update ${table} set ${columns.map(({ name, value }) => `${name} = ${value}`).join(', ')}
where ${columns.map(({ isOther }) => isOther).join(' or ')}`);
    }
    for (const [table, column] of [
      ['record_revisions', 'previous'],
      ['trash', 'record'],
    ] as const)
      this.addSql(inJson(table, column));
    this.addSql(`
update mailings set audience = normalize(audience::text, nfc)::jsonb
where not (audience::text is nfc normalized)`);
    this.addSql('drop function nfc_list');
  }
}

/** Columns that are compared, by table. */
const compared: Readonly<Record<string, { lists?: readonly string[]; texts?: readonly string[] }>> = {
  posts: { lists: ['tags'], texts: ['meta_title'] },
  projects: { lists: ['tags', 'tech_stack'], texts: ['status', 'meta_title'] },
  courses: { lists: ['tags', 'learning_outcomes'], texts: ['instructor_name', 'difficulty', 'meta_title'] },
  talks: { texts: ['event', 'location', 'meta_title'] },
  experience: { lists: ['bullets', 'skills'], texts: ['company', 'location'] },
  education: { texts: ['institution', 'degree', 'field'] },
  skills: { texts: ['name', 'category', 'proficiency'] },
  certifications: { texts: ['name', 'issuer', 'credential_id'] },
  pages: { texts: ['meta_title'] },
  members: { texts: ['name'] },
  subscribers: { texts: ['name', 'source'] },
  testimonials: { texts: ['name', 'company', 'role'] },
};

const nfcList = `
create function nfc_list(list text[]) returns text[] language sql immutable return array(
  select normalize(value, nfc) from unnest(list) with ordinality given (value, at)
  where not exists (
    select from unnest(list) with ordinality earlier (value, at)
    where earlier.at < given.at and earlier.value <> given.value
      and normalize(earlier.value, nfc) = normalize(given.value, nfc)
  )
  order by at
)`;

const listColumn = (name: string) => ({
  name,
  value: `nfc_list(${name})`,
  isOther: `not (array_to_string(${name}, ' ') is nfc normalized)`,
});

const textColumn = (name: string) => ({
  name,
  value: `normalize(${name}, nfc)`,
  isOther: `not (${name} is nfc normalized)`,
});

/** Fields of records in the history and the trash. Those of other names, titles and bodies among them, stay as they are. */
const inJson = (table: string, column: string) => `
update ${table} set ${column} = ${column} || coalesce((
  select jsonb_object_agg(key, case jsonb_typeof(value)
    when 'array' then to_jsonb(nfc_list(array(select jsonb_array_elements_text(value))))
    when 'string' then to_jsonb(normalize(value #>> '{}', nfc))
    else value end)
  from jsonb_each(${column}) where key in (${names.map((name) => `'${name}'`).join(', ')})
), '{}')
where not (${column}::text is nfc normalized)`;

const names = [
  ...new Set(Object.values(compared).flatMap(({ lists = [], texts = [] }) => [...lists, ...texts])),
];
