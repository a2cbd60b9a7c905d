import { draftFor, futureDate, scheduled } from './foreign-record.ts';
import type { WrittenMoment } from './moments.ts';
import type { Item } from './wordpress-item.ts';

interface State {
  status: string;
  date: WrittenMoment | null;
  now: Date;
  isPost: boolean;
  /** Whether the export has rules of who may read which items. */
  hasRules: boolean;
}

/** Whether readers see it. */
export function publicationOf(item: Item, { status, date, now, isPost, hasRules }: State, notes: string[]) {
  const why = whyDraft(item, status, hasRules);
  if (why) return draftFor(why, notes);
  // Without a moment in UTC it is the latest that it may be.
  if (status === 'future') return scheduled(date?.latest ?? null, now, notes);
  if (date && date.latest > now) return draftFor(futureDate(date.latest), notes);
  noteEnd(item, notes);
  const isUnlisted = item['wp:postmeta'].some((meta) =>
    isNotIndexed(meta['wp:meta_key'], meta['wp:meta_value']),
  );
  if (isUnlisted) notes.push('Imported as unlisted: the original was hidden from search engines');
  return {
    is_draft: false,
    ...(isUnlisted && { visibility: 'unlisted' }),
    ...(isPost && { published_at: date?.moment.toISOString() ?? null }),
  };
}

/** Nothing ends by itself here. */
function noteEnd(item: Item, notes: string[]) {
  const end = item['wp:postmeta'].find((meta) => meta['wp:meta_key'].trim() === '_expiration-date');
  if (end) notes.push('Expiry date not imported: it stays public until you unpublish it');
}

/** Fields in which plugins say that search engines are not to list something. */
const isNotIndexed = (key: string, value: string) =>
  (key.trim() === '_yoast_wpseo_meta-robots-noindex' && value.trim() === '1') ||
  (/^(?:rank_math_robots|_aioseo_robots_noindex|_seopress_robots_index)$/.test(key.trim()) &&
    /noindex|^(?:1|yes)$/.test(value.trim()));

const states = new Map([
  ['draft', 'the original was a draft'],
  ['pending', 'the original was waiting for review'],
  ['private', 'the original was private'],
]);

function whyDraft(item: Item, status: string, hasRules: boolean): string | null {
  if (item['wp:post_password'].trim() !== '') return 'the original has a password';
  if (status !== 'publish' && status !== 'future')
    return states.get(status) ?? `the original had the unknown status “${status}”`;
  const closed = item['wp:postmeta'].find((meta) => isClosing(meta['wp:meta_key'], meta['wp:meta_value']));
  if (closed)
    return `the plugin field ${closed['wp:meta_key'].trim().slice(0, 50)} restricts who may read the original`;
  const [mark] = closingMarks.exec(item['content:encoded']) ?? [];
  if (mark !== undefined) return `a part of the original was not for everyone (${mark.slice(0, 50)})`;
  return hasRules ? 'the old site has access rules of a membership plugin, which imports cannot read' : null;
}

/** Kinds of items in which plugins for members keep rules of who may read which others. */
export const isRule = (type: string) =>
  /^(?:memberpressrule|wc_membership_plan|llms_membership|um_role|restrict-content-pro|rcp_\w+)$/.test(type);

/** Names of fields by which plugins for members close a post. */
const closingField =
  /(?:^|[_-])(?:members?|memberships?|memberful|wpmem|restrict(?:ed|ion|ions)?|content_restriction|paywall|paid|premium|protect(?:ed|ion)?|access|acl|private|hidden|unlisted|s2member|swpm|rcp|pmpro|patreon)(?:[_-]|$)/i;

/** What such a field says of a post that is open. */
const open: ReadonlySet<string> = new Set([
  ...['', '0', 'no', 'none', 'false', 'off', 'null', 'default', 'inherit', 'a:0:{}', '[]'],
  ...['everybody', 'everyone', 'public', 'all', 'open', 'free', 'visible'],
]);

/** Whether a field says who may read a post. */
export const isOfAccess = (key: string) => closingField.test(key.trim());

const isClosing = (key: string, value: string) => isOfAccess(key) && !open.has(value.trim().toLowerCase());

/** Blocks, what hides a block, and shortcodes, around what only some may read. */
const closingMarks =
  /<!-- wp:[\w/-]{0,60}(?:member|paywall|pmpro|premium|protect|restrict)[\w/-]{0,60}|"blockVisibility"\s?:|\[(?:members?[_\]]|members?only|membership|restrict|private|protected|wpmem_|s2|mepr-|swpm_|wlm_|rcp_|pmpro_|um_|ihc-hide|passster|content_protector|paywall|wcm_restrict|groups_member|user_only|(?:is_)?logged_?in|hidden?[\s\]])/i;
