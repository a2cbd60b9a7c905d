import { z } from 'zod';
import { enrollment } from '../../../shared/contract/audience/enrollment.ts';
import { subscriber, subscriberStatuses } from '../../../shared/contract/audience/subscriber.ts';
import { testimonial } from '../../../shared/contract/audience/testimonial.ts';
import { CertificateId } from '../../../shared/contract/features/learning.ts';
import { suppressionReasons } from '../../../shared/contract/features/mail-reports.ts';
import { Media, mediaTypes } from '../../../shared/contract/features/media.ts';
import { Member } from '../../../shared/contract/features/member.ts';
import { defaultNewsletter } from '../../../shared/contract/features/newsletter.ts';
import { defaultSelling } from '../../../shared/contract/features/offers.ts';
import { profileFields } from '../../../shared/contract/features/profile.ts';
import { archivedRedirect } from '../../../shared/contract/features/redirects.ts';
import { SiteSettings, UpdateSite } from '../../../shared/contract/features/site.ts';
import { defaultTheme } from '../../../shared/contract/features/theme.ts';
import { boundedText, Email, type Fields, unsetValues } from '../../../shared/contract/fields.ts';
import { Actor, RevisionNumber } from '../../../shared/contract/history.ts';
import { media as limits } from '../../../shared/contract/limits.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { planNames } from '../../../shared/contract/plans.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { hasDrafts, type Resource, titleFieldOf } from '../../../shared/contract/resource.ts';
import { allResources } from '../../../shared/contract/resources/index.ts';
import { utc } from '../../../shared/contract/time-zone.ts';
import { DateTime } from '../../../shared/contract/timestamps.ts';
import {
  type ArchiveTable,
  bookkeeping,
  type Columns,
  createdAt,
  type DeclaredTable,
  fieldColumns,
  id,
  line,
  newer,
  rowContract,
  timestamp,
  timestampOrNull,
  value,
} from './archive-columns.ts';
import { sales } from './archive-sales.ts';

const record = (resource: Resource): DeclaredTable => ({
  table: resource.collection,
  columns: {
    ...id,
    ...recordColumns(resource.fields),
    ...(hasDrafts(resource.fields) && { publish_at: timestampOrNull }),
    ...bookkeeping,
    revision: value(RevisionNumber),
  },
  ...(resource.partOf && {
    parent: { table: resource.partOf.collection, by: resource.partOf.by, same: {} },
  }),
  label: titleFieldOf(resource),
});

/**
 * Columns of a record. Those that only the studio writes have a default value, because archives of earlier versions
 * lack them.
 */
const recordColumns = (fields: Fields): Columns =>
  Object.fromEntries(
    Object.entries(fieldColumns(fields)).map(([name, column]) => [
      name,
      fields[name]?.ownersOnly ? newer(column, fields[name].unset) : column,
    ]),
  );

/**
 * Returns the contract of the values that the fields of a record had before a write. Values of fields that no longer
 * exist are dropped.
 */
function previousOf({ fields }: Resource) {
  const held = Object.entries(fieldColumns(fields)).map(([name, { contract, as }]) => [
    name,
    as === 'moment' ? DateTime.nullable() : contract,
  ]);
  const timestamps = { updated: DateTime, publish_at: DateTime.nullable() };
  return z.looseObject({ ...Object.fromEntries(held), ...timestamps }).partial();
}

/** History of records. A revision is imported only if its record still is as it was at the export. */
const historyOf = (resource: Resource): DeclaredTable => ({
  name: `${resource.collection}.history`,
  table: 'record_revisions',
  columns: {
    record_id: id.id,
    revision: value(RevisionNumber),
    record_updated: timestamp,
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

/** Media files. Their bytes are files of their own, `media/ID`, which precede the rows. */
const media: DeclaredTable = {
  table: 'media',
  columns: {
    ...id,
    name: value(boundedText(200).min(1)),
    alt: newer(line(limits.maxAltLength), ''),
    caption: newer(line(limits.maxAltLength), ''),
    focus: newer(value(Media.shape.focus), null),
    type: value(z.enum(keysOf(mediaTypes))),
    size: value(z.int().min(1)),
    width: value(z.int32().min(1).nullable()),
    height: value(z.int32().min(1).nullable()),
    sha256: value(z.string().regex(/^[0-9a-f]{64}$/)),
    protected: newer(value(z.boolean()), false),
    ...createdAt,
  },
  once: ['sha256'],
  // The worker creates renditions again.
  begins: { widths: "'{}'" },
  label: 'name',
};

const redirects: DeclaredTable = {
  table: 'redirects',
  columns: {
    ...id,
    from: value(archivedRedirect.from),
    to: value(archivedRedirect.to),
    permanent: value(z.boolean()),
    collection: value(archivedRedirect.collection),
    record_id: value(z.union([z.literal(''), id.id.contract])),
    ...bookkeeping,
  },
  once: ['from'],
  label: 'from',
};

/** Maximum lengths of source names and source IDs, in characters, because an index contains them. */
export const maxSourceLength = { source: 500, id: 1_000 } as const;

const imported: DeclaredTable = {
  table: 'imported_records',
  columns: {
    source: line(maxSourceLength.source),
    collection: line(200),
    source_id: line(maxSourceLength.id),
    record_id: id.id,
    ...createdAt,
  },
  key: ['source', 'collection', 'source_id'],
  label: 'source_id',
};

const certificateText = newer(value(boundedText(200).nullable()), null);

const enrollmentColumns: Columns = {
  ...fieldColumns(enrollment.fields),
  // Archives from before learners read lessons on the site lack `source`. `giveSources` derives it from purchases.
  source: newer(value(enrollment.fields.source.input.nullable()), null),
  ended_at: newer(timestampOrNull, null),
  certificate_id: newer(value(CertificateId.nullable()), null),
  certificate_name: certificateText,
  certificate_title: certificateText,
};

/** Members, subscribers, buyers, learners and authors of testimonials. */
const audience: DeclaredTable[] = [
  {
    table: 'members',
    columns: {
      ...id,
      email: value(Email),
      name: value(Member.shape.name),
      status: value(Member.shape.status),
      access_tiers: value(Member.shape.access_tiers),
      last_seen_at: timestampOrNull,
      ...bookkeeping,
    },
    once: ['email'],
    label: 'email',
  },
  {
    table: 'suppressions',
    columns: {
      // Hash with the mail key, which is in the manifest.
      email_hash: value(z.string().regex(/^[\w-]{43}$/)),
      reason: value(z.enum(suppressionReasons)),
      ...createdAt,
    },
    key: ['email_hash'],
    label: 'reason',
  },
  {
    table: 'subscribers',
    columns: {
      ...id,
      ...fieldColumns(subscriber.fields),
      // Archives from before subscribers had states contain only active ones.
      status: newer(value(z.enum(subscriberStatuses)), 'active'),
      confirm_sent_at: newer(timestampOrNull, null),
      confirmed_at: newer(timestampOrNull, null),
      ended_at: newer(timestampOrNull, null),
      soft_bounces: newer(value(z.int().min(0)), 0),
      last_bounce_at: newer(timestampOrNull, null),
      ...createdAt,
    },
    once: ['email'],
    label: 'email',
  },
  ...sales,
  {
    table: 'enrollments',
    columns: { ...id, ...enrollmentColumns, ...createdAt },
    once: ['course_id', 'buyer_email'],
    label: 'buyer_email',
  },
  {
    table: 'lesson_progress',
    columns: { enrollment_id: id.id, lesson_id: id.id, done_at: timestamp },
    key: ['enrollment_id', 'lesson_id'],
    parent: { table: 'enrollments', by: 'enrollment_id', same: {} },
    label: 'lesson_id',
  },
  {
    table: 'testimonials',
    columns: { ...id, ...fieldColumns(testimonial.fields), ...createdAt },
    label: 'name',
  },
];

/** Tables of an archive in addition to the site, in their order: a row comes after the record that it belongs to. */
export const archiveTables: readonly ArchiveTable[] = [
  ...resources.map(record),
  ...resources.map(historyOf),
  ...audience,
  imported,
  redirects,
  media,
].map((declared) => ({
  ...{ name: declared.table, key: ['id'] },
  ...declared,
  contract: rowContract(declared.columns),
}));

const findArchiveTable = (name: string) => archiveTables.find((each) => each.name === name);

/** Returns the exported table with this name. Throws an `Error` if there is none. */
export function getArchiveTable(name: string): ArchiveTable {
  const found = findArchiveTable(name);
  if (!found) throw new Error(`no exported table is named ${name}`);
  return found;
}

/**
 * Returns the exported table with this name, or that of posts for a collection that has none, for reports on records
 * that are not imported.
 */
export const archiveTableOrPosts = (name: string) => findArchiveTable(name) ?? getArchiveTable('posts');

/** Adds settings that themes of earlier archives lack. */
const withNewer = (theme: unknown) =>
  typeof theme === 'object' && theme !== null
    ? { look: defaultTheme.look, logo: null, icon: null, ...theme }
    : theme;

/** Columns of the site's settings, which are in the manifest. */
export const siteColumns: Columns = {
  id: value(RecordId),
  name: value(UpdateSite.shape.name.unwrap()),
  plan: value(z.enum(planNames)),
  subdomain: value(UpdateSite.shape.subdomain.unwrap()),
  custom_domain: value(UpdateSite.shape.custom_domain.unwrap()),
  mcp_enabled: value(SiteSettings.shape.mcp_enabled),
  language: value(SiteSettings.shape.language),
  currency: newer(value(SiteSettings.shape.currency), null),
  time_zone: newer(value(SiteSettings.shape.time_zone), utc),
  theme: value(z.preprocess(withNewer, SiteSettings.shape.theme)),
  newsletter: newer(value(SiteSettings.shape.newsletter), defaultNewsletter),
  selling: newer(value(SiteSettings.shape.selling), defaultSelling),
  ...bookkeeping,
};

/** Columns of the site's profile, which is in the manifest. */
export const profileColumns: Columns = { ...fieldColumns(profileFields), updated: timestamp };

/** Returns the default values of a record's fields; null if the collection does not exist. */
export function unsetOf(collection: string): Record<string, unknown> | null {
  const resource = Object.values(allResources).find((each) => each.collection === collection);
  return resource ? unsetValues(resource.fields) : null;
}
