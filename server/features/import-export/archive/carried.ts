import { z } from 'zod';
import { Media, mediaTypes } from '../../../../shared/contract/features/media.ts';
import { defaultNewsletter } from '../../../../shared/contract/features/newsletter.ts';
import { profileFields } from '../../../../shared/contract/features/profile.ts';
import { carriedRedirect } from '../../../../shared/contract/features/redirects.ts';
import { SiteSettings, UpdateSite } from '../../../../shared/contract/features/site.ts';
import { defaultTheme } from '../../../../shared/contract/features/theme.ts';
import { boundedText, type Fields } from '../../../../shared/contract/fields.ts';
import { Actor, RevisionNumber } from '../../../../shared/contract/history.ts';
import { media as limits } from '../../../../shared/contract/limits.ts';
import { DateTime } from '../../../../shared/contract/moments.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import { planNames } from '../../../../shared/contract/plans.ts';
import { RecordId } from '../../../../shared/contract/record-id.ts';
import { hasDrafts, type Resource, titleFieldOf } from '../../../../shared/contract/resource.ts';
import { allResources } from '../../../../shared/contract/resources/index.ts';
import { utc } from '../../../../shared/contract/time-zone.ts';
import { audience } from './carried-audience.ts';
import { bookkeeping, type Carried, createdAt, type Declared, id, line, rowContract } from './carried-row.ts';
import { type Columns, fieldColumns, moment, momentOrNull, newer, value } from './columns.ts';

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

/** The bytes are files of their own, `media/ID`, which stand before the rows. */
const media: Declared = {
  name: 'media',
  table: 'media',
  columns: {
    ...id,
    name: value(boundedText(200).min(1)),
    alt: newer(line(limits.longestAlt), ''),
    caption: newer(line(limits.longestAlt), ''),
    focus: newer(value(Media.shape.focus), null),
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

/** All that an archive holds besides its site, in its order: what belongs to another record comes after it. */
export const carried: readonly Carried[] = [
  ...resources.map(record),
  ...resources.map(historyOf),
  ...audience,
  imported,
  redirects,
  media,
].map((declared) => ({ ...declared, contract: rowContract(declared.columns) }));

const getCarried = (name: string) => carried.find((each) => each.name === name);

export function required(name: string): Carried {
  const found = getCarried(name);
  if (!found) throw new Error(`no exported table is named ${name}`);
  return found;
}

/** What is said of records that become nothing here needs some table to stand under. */
export const carriedOrPosts = (name: string) => getCarried(name) ?? required('posts');

/** Archives from before there were several looks, and logos, name none. */
const withNewer = (theme: unknown) =>
  typeof theme === 'object' && theme !== null
    ? { look: defaultTheme.look, logo: null, icon: null, ...theme }
    : theme;

/** The settings of the site, which stand in the manifest. */
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
  ...bookkeeping,
};

/** Who the site is about: the same. */
export const profileColumns: Columns = { ...fieldColumns(profileFields), updated: moment };
