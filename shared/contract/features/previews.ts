import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created } from '../envelopes.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';
import { course } from '../resources/course.ts';
import { page } from '../resources/page.ts';
import { post } from '../resources/post.ts';
import { project } from '../resources/project.ts';
import { DateTime, timestamp } from '../timestamps.ts';
import { PostV2 } from './post-read.ts';
import { redirectedCollections } from './redirects.ts';

/** Limits of preview links: valid links per site, and their default and maximum lifetime in days. */
export const previewLimits = { perSite: 100, days: 7, maxDays: 30 } as const;

/** Collection whose records have their own page, which a link can show before they are published. */
export type PreviewedCollection = (typeof redirectedCollections)[number];

const collection = documented(z.enum(redirectedCollections), 'Collection of the record', 'posts');

const as = documented(
  z.enum(accessTiers),
  'Reader to show the draft as: any visitor (`free`), a signed-in member (`registered`), a buyer (`paid`), or a member of the tier `members`',
  'free',
);

const ends_at = timestamp('Expiry time of the link');

/** Preview link in the owner's list. */
export const Preview = titled('Preview', {
  id: RecordId,
  collection,
  record_id: RecordId.describe('ID of the record'),
  title: documented(
    z.string().nullable(),
    'Title of the record; null while it is in the trash',
    'Why types pay',
  ),
  as,
  created,
  ends_at,
});

export const CreatePreview = z.strictObject({
  collection,
  id: RecordId,
  as,
  ends_at: documented(
    DateTime,
    `Expiry time of the link, at most ${previewLimits.maxDays} days from now; ${previewLimits.days} days if omitted`,
    '2026-02-14T09:05:00Z',
  ).optional(),
});

/** New preview link. Its token is returned only here. */
export const CreatedPreview = z.strictObject({
  id: RecordId,
  url: z.url().describe('URL of the page that shows the draft'),
  token: z
    .string()
    .describe('Token for front ends, to be sent as `X-Preview-Token`; returned only in this response'),
  ends_at,
});

const shown = <Collection extends PreviewedCollection, Read extends z.ZodType>(
  name: Collection,
  record: Read,
) => z.strictObject({ collection: z.literal(name).describe('Collection of the record'), as, record });

export const Previewed = z
  .discriminatedUnion('collection', [
    shown(post.collection, PostV2),
    shown(project.collection, project.read),
    shown(course.collection, course.read),
    shown(page.collection, page.read),
  ])
  .meta({ title: 'Previewed' });
