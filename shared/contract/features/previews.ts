import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { created } from '../envelopes.ts';
import { DateTime, moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';
import { accessTiers } from '../resources/access-tier.ts';
import { course } from '../resources/course.ts';
import { page } from '../resources/page.ts';
import { post } from '../resources/post.ts';
import { project } from '../resources/project.ts';
import { PostV2 } from './post-read.ts';
import { redirectedCollections } from './redirects.ts';

/** Links that show drafts: how many of a site work at once, and how many days one does: unasked, and at most. */
export const previewLimits = { perSite: 100, days: 7, mostDays: 30 } as const;

/** Collections whose records have a page of their own, which a link can show before they are published. */
export type PreviewedCollection = (typeof redirectedCollections)[number];

const collection = documented(z.enum(redirectedCollections), 'Collection of the record', 'posts');

const as = documented(
  z.enum(accessTiers),
  'Who reads it: anybody (`free`), who is signed in (`registered`), who bought it (`paid`), or a member (`members`)',
  'free',
);

const ends_at = moment('When the link stops working');

/** A link that shows one draft, as its owner sees it in a list. */
export const Preview = titled('Preview', {
  id: RecordId,
  collection,
  record_id: RecordId.describe('Id of the record'),
  title: documented(z.string().nullable(), 'Of the record; null while it is in the trash', 'Why types pay'),
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
    `When the link stops working: in at most ${previewLimits.mostDays} days, and in ${previewLimits.days} when left out`,
    '2026-02-14T09:05:00Z',
  ).optional(),
});

/** A new link, whose token is shown only here. */
export const CreatedPreview = z.strictObject({
  id: RecordId,
  url: z.url().describe('Page that shows the draft'),
  token: z.string().describe('Sent as `X-Preview-Token` by front ends; shown only here'),
  ends_at,
});

const shown = <Collection extends PreviewedCollection, Read extends z.ZodType>(
  name: Collection,
  record: Read,
) => z.strictObject({ collection: z.literal(name).describe('What the record is'), as, record });

/** A record as the link shows it. */
export const Previewed = z
  .discriminatedUnion('collection', [
    shown(post.collection, PostV2),
    shown(project.collection, project.read),
    shown(course.collection, course.read),
    shown(page.collection, page.read),
  ])
  .meta({ title: 'Previewed' });
