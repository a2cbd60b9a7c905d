import { z } from 'zod';
import { type ErrorOccasion, type ErrorRow, errors } from '../../shared/contract/errors.ts';
import { EventPattern, eventNames, events, eventsUnder } from '../../shared/contract/events.ts';
import { apiFields, type Field, type Fields } from '../../shared/contract/fields.ts';
import { filtersOf } from '../../shared/contract/filters.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { sortsOf } from '../../shared/contract/pagination.ts';
import { planNames, plans } from '../../shared/contract/plans.ts';
import { apiCollections, resources } from '../../shared/contract/resources/index.ts';
import { type Area, areas, rightOf, roleNames, roleTexts } from '../../shared/contract/roles.ts';
import { scopeNames, scopes } from '../../shared/contract/scopes.ts';
import { code, codes, number, type Table } from './tables.ts';

const occasions = {
  always: 'all operations',
  credential: 'operations that require a credential',
  key: 'operations that require an API key',
  write: 'writes',
  body: 'operations with a body',
  record: 'operations on one record',
  conditional: 'operations that accept `If-Match`',
  proof: 'operations that require a fresh proof',
} as const satisfies Record<ErrorOccasion, string>;

export const errorTable = (): Table => [
  ['Code', 'Status', 'Returned by', 'Default message'],
  ...Object.entries<ErrorRow>(errors)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([name, { status, when, message }]) => [
      code(name),
      String(status),
      when ? occasions[when] : 'operations that list it',
      message,
    ]),
];

export const eventTable = (): Table => [
  ['Event', 'Meaning', 'Fields of `data`'],
  ...eventNames.map((name) => [
    code(name),
    events[name].description,
    codes(Object.keys(events[name].data.shape)),
  ]),
];

export const eventFieldTable = (): Table => {
  const rows = eventNames.flatMap((name) =>
    Object.entries<z.ZodType>(events[name].data.shape).map(([field, { description = '' }]) => ({
      name,
      field,
      description,
    })),
  );
  const byMeaning = Map.groupBy(rows, ({ field, description }) => `${field}: ${description}`);
  return [
    ['Field', 'Meaning', 'Events'],
    ...[...byMeaning.values()].map((group) => [
      code(group[0]?.field ?? ''),
      group[0]?.description ?? '',
      codes(group.map(({ name }) => name)),
    ]),
  ];
};

export const wildcardTable = (): Table => [
  ['Wildcard', 'Events'],
  ...EventPattern.options
    .filter((pattern) => pattern.includes('*'))
    .map((pattern) => [code(pattern), codes(eventsUnder([pattern]))]),
];

const isForAssistants = (name: string) => name.startsWith('mcp:');

const scopeRows = (assistants: boolean): Table => [
  ['Scope', 'Allows'],
  ...scopeNames
    .filter((name) => isForAssistants(name) === assistants)
    .map((name) => [code(name), scopes[name].replace('For assistants: ', '')]),
];

export const scopeTable = () => scopeRows(false);
export const assistantScopeTable = () => scopeRows(true);

const size = (bytes: number) => (bytes >= 1e9 ? `${number(bytes / 1e9)} GB` : `${number(bytes / 1e6)} MB`);
const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');

export const planTable = (): Table => [
  ['Plan', 'API', 'Assistants', 'Analytics', 'Newsletter emails per month', 'Largest file', 'Media in all'],
  ...planNames.map((name) => {
    const { api, mcp, analytics, recipients, media } = plans[name];
    const sizes = [size(media.file), size(media.all)];
    return [code(name), yesOrNo(api), yesOrNo(mcp), analytics, number(recipients), ...sizes];
  }),
];

const areaTexts = {
  content: 'records, CV, pages, profile, history, trash and previews',
  publish: 'publishing, changes to public records and their deletion, redirects',
  media: 'files and images',
  newsletter: 'mailings and their recipients',
  audience: 'members, subscribers, purchases, enrollments and testimonials',
  analytics: 'statistics',
  account: "the person's own account, independent of the site",
  site: 'settings, integrations, people and transfers',
} as const satisfies Record<Area, string>;

export const roleTable = (): Table => [
  ['Role', 'Rights'],
  ...roleNames.map((name) => [code(name), roleTexts[name]]),
];

export const areaTable = (): Table => [
  ['Area', 'Content', ...roleNames],
  ...keysOf(areas).map((area) => [
    area,
    areaTexts[area],
    ...roleNames.map((role) => rightOf(role, area) ?? '-'),
  ]),
];

const Bounds = z.object({
  enum: z.array(z.string()).optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** Limits of a field's input, from its JSON Schema. */
function boundsOf({ input }: Field): string {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const { enum: values, maxLength, maxItems, minimum, maximum } = Bounds.parse(schema);
  return [
    values && codes(values),
    maxLength !== undefined && `at most ${number(maxLength)} characters`,
    maxItems !== undefined && `at most ${number(maxItems)} values`,
    minimum !== undefined && minimum > -(2 ** 31) && `at least ${number(minimum)}`,
    maximum !== undefined && maximum < 2 ** 31 - 1 && `at most ${number(maximum)}`,
  ]
    .filter((text) => typeof text === 'string')
    .join('; ');
}

const kindNames: Partial<Record<Field['kind'], string>> = {
  flag: 'boolean',
  image_url: 'URL of an image',
  list: 'list of texts',
  markdown: 'Markdown or HTML',
  moment: 'timestamp',
  money: 'amount',
  paragraph: 'text',
  partial_date: 'partial date',
  url: 'URL',
};

const descriptionOf = ({ input }: Field) => z.string().catch('').parse(input.meta()?.description);

/** Table of the fields of each collection of the API, by collection. */
export const fieldTables = (): Record<string, Table> =>
  Object.fromEntries(
    apiCollections.map((collection) => [
      collection,
      [
        ['Field', 'Type', 'Input', 'Unset', 'Meaning'],
        ...Object.entries<Field>(apiFields<Fields>(resources[collection].fields)).map(([name, field]) => [
          code(name),
          kindNames[field.kind] ?? field.kind,
          boundsOf(field) || '-',
          field.required ? 'required' : code(JSON.stringify(field.unset)),
          descriptionOf(field),
        ]),
      ],
    ]),
  );

export const filterTable = (): Table => [
  ['Collection', 'One of these values', 'Boolean', 'Range', '`sort` in v2'],
  ...apiCollections.map((collection) => {
    const fields = apiFields<Fields>(resources[collection].fields);
    const filters = filtersOf(fields);
    const having = (...questions: string[]) =>
      codes(filters.filter(({ question }) => questions.includes(question)).map(({ parameter }) => parameter));
    const sorts = sortsOf(fields).filter((sort) => !sort.startsWith('-'));
    return [
      code(collection),
      having('any'),
      having('is'),
      having('from', 'before', 'min', 'max'),
      codes(sorts),
    ];
  }),
];
