import { cutText } from '../../../shared/contract/cut-text.ts';
import type { Included } from '../../../shared/contract/sharing.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { sharedImage } from '../views/images.ts';
import type { LayoutData } from '../views/layout-data.ts';
import { recordOfferIn, type ShownOffer } from '../views/offers.ts';

/** Object of schema.org without empty properties. */
function thing(type: string, properties: Record<string, unknown>, context = true): object {
  const known = Object.entries(properties).filter(
    ([, value]) =>
      value !== '' && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return {
    ...(context && { '@context': 'https://schema.org' }),
    '@type': type,
    ...Object.fromEntries(known),
  };
}

const about = ({ texts }: Visit, description: string) => texts.excerpt(description, 500);

const inner = (type: string, properties: Record<string, unknown>) => thing(type, properties, false);

const imageOf = ({ origin }: Visit, { cover }: Included) => cover && sharedImage(cover, origin).url;

const author = ({ origin }: Visit, { creator }: LayoutData) =>
  inner('Person', { name: creator, url: `${origin}/` });

export const website = ({ origin, site }: Visit, { name, profile }: LayoutData) =>
  thing('WebSite', { name, url: `${origin}/`, description: profile.headline, inLanguage: site.language });

export const person = async (visit: Visit, { creator, profile }: LayoutData) =>
  thing('Person', {
    name: creator,
    url: `${visit.origin}/`,
    jobTitle: profile.headline,
    description: await about(visit, profile.summary),
    image: profile.avatar_url,
    address: profile.location && inner('PostalAddress', { addressLocality: profile.location }),
    sameAs: [profile.website, profile.github, profile.linkedin, profile.twitter].filter(Boolean),
  });

export const blogPosting = (
  visit: Visit,
  layout: LayoutData,
  post: Omit<OutputOf<'v1.posts.get'>, 'visibility' | 'featured'>,
  offers: readonly ShownOffer[],
) =>
  thing('BlogPosting', {
    headline: cutText(post.title, 110),
    image: imageOf(visit, post),
    description: post.excerpt,
    url: `${visit.origin}/posts/${post.slug}`,
    mainEntityOfPage: `${visit.origin}/posts/${post.slug}`,
    datePublished: post.published_at?.toISOString(),
    dateModified: post.updated.toISOString(),
    keywords: post.tags,
    inLanguage: visit.site.language,
    isAccessibleForFree: !post.is_gated,
    offers: saleOf(visit, offers, `/posts/${post.slug}`),
    author: author(visit, layout),
  });

export const webPage = async (visit: Visit, layout: LayoutData, page: OutputOf<'visitors.pages.get'>) =>
  thing('WebPage', {
    name: page.title,
    image: imageOf(visit, page),
    description: await about(visit, page.content),
    url: `${visit.origin}/${page.slug}`,
    dateModified: page.updated.toISOString(),
    inLanguage: visit.site.language,
    author: author(visit, layout),
  });

export const course = async (
  visit: Visit,
  layout: LayoutData,
  record: OutputOf<'visitors.course'>['record'],
  offers: readonly ShownOffer[],
) =>
  thing('Course', {
    name: record.title,
    image: imageOf(visit, record),
    description: (await about(visit, record.description)) || record.title,
    url: `${visit.origin}/courses/${record.slug}`,
    teaches: record.learning_outcomes,
    educationalLevel: record.difficulty,
    timeRequired: record.estimated_hours && `PT${Math.round(record.estimated_hours * 60)}M`,
    inLanguage: visit.site.language,
    isAccessibleForFree: record.access_tier === 'free',
    offers: saleOf(visit, offers, `/courses/${record.slug}`) ?? offerOf(visit, record),
    provider: author(visit, layout),
  });

/** Returns the price of the offer that sells a record, as an object of schema.org; null if none does. */
function saleOf({ origin }: Visit, offers: readonly ShownOffer[], path: string): object | null {
  const offer = recordOfferIn(offers);
  if (!offer) return null;
  const { amount, currency: priceCurrency } = offer;
  return inner('Offer', { price: String(amount), priceCurrency, url: `${origin}${path}`, category: 'Paid' });
}

/** Returns the price of a course, as an object of schema.org; null without a currency or price. */
const offerOf = (
  { site: { currency }, origin }: Visit,
  { price, slug }: OutputOf<'visitors.course'>['record'],
): object | null =>
  currency && price !== null
    ? inner('Offer', {
        price: String(price),
        priceCurrency: currency,
        url: `${origin}/courses/${slug}`,
        category: price > 0 ? 'Paid' : 'Free',
      })
    : null;

export const talkEvent = async (
  visit: Visit,
  layout: LayoutData,
  talk: OutputOf<'visitors.talks'>['items'][number],
) =>
  thing('Event', {
    name: talk.title,
    image: imageOf(visit, talk),
    description: await about(visit, talk.description),
    startDate: talk.date,
    url: talk.event_url,
    location: inner('Place', {
      name: talk.location || talk.event || visit.strings.toBeAnnounced,
      address: talk.location,
    }),
    superEvent:
      talk.event &&
      inner('Event', {
        name: talk.event,
        startDate: talk.date,
        location: inner('Place', { name: talk.location || talk.event }),
      }),
    performer: author(visit, layout),
  });

export const project = async (visit: Visit, layout: LayoutData, record: OutputOf<'v1.projects.get'>) =>
  thing('CreativeWork', {
    name: record.title,
    image: imageOf(visit, record),
    description: await about(visit, record.description),
    url: record.url || `${visit.origin}/projects/${record.slug}`,
    keywords: record.tags,
    author: author(visit, layout),
  });

export function breadcrumbs(
  { origin, strings }: Visit,
  kind: 'posts' | 'projects' | 'courses',
  { title, slug }: { title: string; slug: string },
) {
  const list = `${origin}${sitePaths[kind]}`;
  return thing('BreadcrumbList', {
    itemListElement: [
      inner('ListItem', { position: 1, name: strings[kind], item: list }),
      inner('ListItem', { position: 2, name: title, item: `${list}/${slug}` }),
    ],
  });
}
