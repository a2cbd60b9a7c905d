import { z } from 'zod';
import {
  CreateEnrollment,
  RecordPurchase,
  SubmitTestimonial,
  Testimonial,
} from '../../../shared/contract/audience.ts';
import { boundedText, type Fields } from '../../../shared/contract/fields.ts';
import { Actor, RevisionNumber } from '../../../shared/contract/history.ts';
import { media as limits } from '../../../shared/contract/limits.ts';
import { mediaTypes } from '../../../shared/contract/media.ts';
import { Email, Member } from '../../../shared/contract/member.ts';
import { DateTime } from '../../../shared/contract/moments.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { planNames } from '../../../shared/contract/plans.ts';
import { profileFields } from '../../../shared/contract/profile.ts';
import { RecordId, recordIdPattern } from '../../../shared/contract/record-id.ts';
import { carriedRedirect } from '../../../shared/contract/redirects.ts';
import { hasDrafts, type Resource, titleFieldOf } from '../../../shared/contract/resource.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import { SiteSettings, UpdateSite } from '../../../shared/contract/site.ts';
import { type Columns, fieldColumns, moment, momentOrNull, newer, value } from './columns.ts';

/** Rows of a site that move with it, in a file of their own. */
export interface Carried {
  /** Name of the file, without its ending; of records, their collection. */
  name: string;
  table: string;
  /** All that is said of a row, in the order in which its line says it. */
  columns: Columns;
  /** The contract of a row. */
  contract: ReturnType<typeof rowContract>;
  /** What a row is known by within the site, and what the rows are ordered by. */
  key: readonly string[];
  /** What only one row of the site may have, besides its key. */
  once?: readonly string[];
  /** The same in every row, and not said of any. */
  fixed?: Readonly<Record<string, string>>;
  /** What columns that no line has begin with, as SQL. */
  begins?: Readonly<Record<string, string>>;
  /** The record that a row belongs to; columns of `same` say what that has to hold for the row to be true of it. */
  parent?: { table: string; by: string; same: Readonly<Record<string, string>> };
  /** What a row is called in reports. */
  label: string;
}

const id = { id: value(z.string().regex(recordIdPattern)) };
const createdAt = { created: moment };
const bookkeeping = { created: moment, updated: moment };
const line = (max: number) => value(boundedText(max));

type Declared = Omit<Carried, 'contract'>;

const record = (resource: Resource): Declared => ({
  name: resource.collection,
  table: resource.collection,
  columns: {
    ...id,
    ...recordColumns(resource.fields),
    ...(hasDrafts(resource.fields) && { publish_at: momentOrNull }),
    ...bookkeeping,
    revision: value(RevisionNumber),
  },
  key: ['id'],
  ...(resource.partOf && {
    parent: { table: resource.partOf.collection, by: resource.partOf.by, same: {} },
  }),
  label: titleFieldOf(resource),
});

/** Archives from before there were fields of the studio's don't have them. */
const recordColumns = (fields: Fields): Columns =>
  Object.fromEntries(
    Object.entries(fieldColumns(fields)).map(([name, column]) => [
      name,
      fields[name]?.ownersOnly ? newer(column, fields[name].unset) : column,
    ]),
  );

/** What the fields of a record held before a write, as it is kept: what is no field any more is never read. */
function previousOf({ fields }: Resource) {
  const held = Object.entries(fieldColumns(fields)).map(([name, { contract, as }]) => [
    name,
    as === 'moment' ? DateTime.nullable() : contract,
  ]);
  const moments = { updated: DateTime, publish_at: DateTime.nullable() };
  return z.looseObject({ ...Object.fromEntries(held), ...moments }).partial();
}

/** The history of records moves with those that are as they were when it was written down. */
const historyOf = (resource: Resource): Declared => ({
  name: `${resource.collection}.history`,
  table: 'record_revisions',
  columns: {
    record_id: id.id,
    revision: value(RevisionNumber),
    record_updated: moment,
    ...createdAt,
    actor: value(Actor),
    changed: value(z.array(boundedText(200)).max(100)),
    previous: value(previousOf(resource)),
  },
  key: ['record_id', 'revision'],
  fixed: { collection: resource.collection },
  parent: { table: resource.collection, by: 'record_id', same: { record_updated: 'updated' } },
  label: 'record_id',
});

const resources: Resource[] = Object.values(allResources);

const audience: Declared[] = [
  {
    name: 'members',
    table: 'members',
    columns: {
      ...id,
      email: value(Email),
      name: value(Member.shape.name),
      status: value(Member.shape.status),
      access_tiers: value(Member.shape.access_tiers),
      last_seen_at: momentOrNull,
      ...bookkeeping,
    },
    key: ['id'],
    once: ['email'],
    label: 'email',
  },
  {
    name: 'subscribers',
    table: 'subscribers',
    columns: { ...id, email: value(Email), name: line(200), source: line(200), ...createdAt },
    key: ['id'],
    once: ['email'],
    label: 'email',
  },
  {
    name: 'purchases',
    table: 'purchases',
    columns: {
      ...id,
      buyer_email: value(Email),
      content_type: value(RecordPurchase.shape.content_type),
      content_id: value(RecordPurchase.shape.content_id),
      amount: { contract: RecordPurchase.shape.amount, as: 'number' },
      currency: value(RecordPurchase.shape.currency),
      ...createdAt,
    },
    key: ['id'],
    label: 'buyer_email',
  },
  {
    name: 'enrollments',
    table: 'enrollments',
    columns: {
      ...id,
      course_id: value(CreateEnrollment.shape.course_id),
      buyer_email: value(Email),
      completed_at: momentOrNull,
      ...createdAt,
    },
    key: ['id'],
    once: ['course_id', 'buyer_email'],
    label: 'buyer_email',
  },
  {
    name: 'testimonials',
    table: 'testimonials',
    columns: {
      ...id,
      name: value(SubmitTestimonial.shape.name),
      email: value(Email),
      company: line(200),
      role: line(200),
      content: value(SubmitTestimonial.shape.content),
      rating: value(z.int().min(1).max(5).nullable()),
      approved: value(Testimonial.shape.approved),
      ...createdAt,
    },
    key: ['id'],
    label: 'name',
  },
];

/** The bytes are files of their own, `media/ID`, which stand before the rows. */
const media: Declared = {
  name: 'media',
  table: 'media',
  columns: {
    ...id,
    name: value(boundedText(200).min(1)),
    alt: newer(line(limits.longestAlt), ''),
    type: value(z.enum(keysOf(mediaTypes))),
    size: value(z.int().min(1)),
    width: value(z.int32().min(1).nullable()),
    height: value(z.int32().min(1).nullable()),
    sha256: value(z.string().regex(/^[0-9a-f]{64}$/)),
    ...createdAt,
  },
  key: ['id'],
  once: ['sha256'],
  // The worker makes the smaller sizes anew.
  begins: { widths: "'{}'" },
  label: 'name',
};

const redirects: Declared = {
  name: 'redirects',
  table: 'redirects',
  columns: {
    ...id,
    from: value(carriedRedirect.from),
    to: value(carriedRedirect.to),
    permanent: value(z.boolean()),
    collection: value(carriedRedirect.collection),
    record_id: value(z.union([z.literal(''), id.id.contract])),
    ...bookkeeping,
  },
  key: ['id'],
  once: ['from'],
  label: 'from',
};

/** Longest names that other systems' records are remembered by: the index takes no more. */
export const longestSource = { source: 500, id: 1_000 } as const;

const imported: Declared = {
  name: 'imported_records',
  table: 'imported_records',
  columns: {
    source: line(longestSource.source),
    collection: line(200),
    source_id: line(longestSource.id),
    record_id: id.id,
    ...createdAt,
  },
  key: ['source', 'collection', 'source_id'],
  label: 'source_id',
};

/** The contract of a row. */
export const rowContract = (columns: Columns) =>
  z
    .strictObject(Object.fromEntries(Object.entries(columns).map(([name, { contract }]) => [name, contract])))
    .refine(({ is_draft, publish_at }) => !publish_at || is_draft === true, {
      path: ['publish_at'],
      error: 'belongs to drafts only',
    });

/** All that an archive holds besides its site, in its order: what belongs to another record comes after it. */
export const carried: readonly Carried[] = [
  ...resources.map(record),
  ...resources.map(historyOf),
  ...audience,
  imported,
  redirects,
  media,
].map((declared) => ({ ...declared, contract: rowContract(declared.columns) }));

export const getCarried = (name: string) => carried.find((each) => each.name === name);

export function required(name: string): Carried {
  const found = getCarried(name);
  if (!found) throw new Error(`nothing is carried as ${name}`);
  return found;
}

/** The settings of the site, which stand in the manifest. */
export const siteColumns: Columns = {
  id: value(RecordId),
  name: value(UpdateSite.shape.name.unwrap()),
  plan: value(z.enum(planNames)),
  subdomain: value(UpdateSite.shape.subdomain.unwrap()),
  custom_domain: value(UpdateSite.shape.custom_domain.unwrap()),
  mcp_enabled: value(SiteSettings.shape.mcp_enabled),
  language: value(SiteSettings.shape.language),
  theme: value(SiteSettings.shape.theme),
  ...bookkeeping,
};

/** Who the site is about: the same. */
export const profileColumns: Columns = { ...fieldColumns(profileFields), updated: moment };
