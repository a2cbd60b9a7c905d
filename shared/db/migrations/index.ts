import { Sites } from './0001-sites.ts';
import { Audience } from './0002-audience.ts';
import { Content } from './0003-content.ts';
import { Addresses } from './0004-addresses.ts';
import { Lists } from './0005-lists.ts';
import { History } from './0006-history.ts';
import { Media } from './0007-media.ts';
import { Versions } from './0008-versions.ts';
import { Events } from './0009-events.ts';
import { Limits } from './0010-limits.ts';
import { Analytics } from './0011-analytics.ts';
import { LatestEvent } from './0012-latest-event.ts';
import { CourseParts } from './0013-course-parts.ts';
import { SiteIndexes } from './0014-site-indexes.ts';
import { Currency } from './0015-currency.ts';
import { Captions } from './0016-captions.ts';
import { Looks } from './0017-looks.ts';
import { Logos } from './0018-logos.ts';
import { ViewLabels } from './0019-view-labels.ts';
import { WholeCourses } from './0020-whole-courses.ts';
import { Previews } from './0021-previews.ts';
import { Accounts } from './0022-accounts.ts';
import { Search } from './0023-search.ts';
import { Newsletters } from './0024-newsletters.ts';
import { MailCounts } from './0025-mail-counts.ts';
import { People } from './0026-people.ts';
import { ReplicaIdentity } from './0027-replica-identity.ts';
import { MailingOwners } from './0028-mailing-owners.ts';
import { Roles } from './0029-roles.ts';
import { Factors } from './0030-factors.ts';
import { Assistants } from './0031-assistants.ts';
import { Accents } from './0032-accents.ts';
import { AccentsSooner } from './0033-accents-sooner.ts';
import { ListsOfPeople } from './0034-lists-of-people.ts';
import { MarksOfMembers } from './0035-marks-of-members.ts';
import { LongWords } from './0036-long-words.ts';
import { ShorterWrites } from './0037-shorter-writes.ts';
import { SearchMarks } from './0038-search-marks.ts';
import { NormalizedNames } from './0039-normalized-names.ts';
import { TimeZones } from './0040-time-zones.ts';
import { LowerCaseEmails } from './0041-lower-case-emails.ts';
import { Selling } from './0042-selling.ts';
import { Offers } from './0043-offers.ts';
import { Stripe } from './0044-stripe.ts';
import { Learning } from './0045-learning.ts';
import { Sales } from './0046-sales.ts';
import { NamedFiles } from './0047-named-files.ts';

/** First migrations of all tables, in an order that introduces them to a reader. */
export const baseline = [
  { name: '0001-sites', class: Sites },
  { name: '0002-audience', class: Audience },
  { name: '0003-content', class: Content },
  { name: '0004-addresses', class: Addresses },
  { name: '0005-lists', class: Lists },
  { name: '0006-history', class: History },
  { name: '0007-media', class: Media },
  { name: '0008-versions', class: Versions },
  { name: '0009-events', class: Events },
  { name: '0010-limits', class: Limits },
  { name: '0011-analytics', class: Analytics },
];

/**
 * First and last of the migrations that the baseline replaced. After the last one, the tables equal those of the
 * baseline.
 */
export const replaced = { first: '0001-content', last: '0262-shared-width' };

/** Migrations in the order in which they run. They run forward only, and a landed migration never changes. */
export const migrations = [
  ...baseline,
  { name: '0012-latest-event', class: LatestEvent },
  { name: '0013-course-parts', class: CourseParts },
  { name: '0014-site-indexes', class: SiteIndexes },
  { name: '0015-currency', class: Currency },
  { name: '0016-captions', class: Captions },
  { name: '0017-looks', class: Looks },
  { name: '0018-logos', class: Logos },
  { name: '0019-view-labels', class: ViewLabels },
  { name: '0020-whole-courses', class: WholeCourses },
  { name: '0021-previews', class: Previews },
  { name: '0022-accounts', class: Accounts },
  { name: '0023-search', class: Search },
  { name: '0024-newsletters', class: Newsletters },
  { name: '0025-mail-counts', class: MailCounts },
  { name: '0026-people', class: People },
  { name: '0027-replica-identity', class: ReplicaIdentity },
  { name: '0028-mailing-owners', class: MailingOwners },
  { name: '0029-roles', class: Roles },
  { name: '0030-factors', class: Factors },
  { name: '0031-assistants', class: Assistants },
  { name: '0032-accents', class: Accents },
  { name: '0033-accents-sooner', class: AccentsSooner },
  { name: '0034-lists-of-people', class: ListsOfPeople },
  { name: '0035-marks-of-members', class: MarksOfMembers },
  { name: '0036-long-words', class: LongWords },
  { name: '0037-shorter-writes', class: ShorterWrites },
  { name: '0038-search-marks', class: SearchMarks },
  { name: '0039-normalized-names', class: NormalizedNames },
  { name: '0040-time-zones', class: TimeZones },
  { name: '0041-lower-case-emails', class: LowerCaseEmails },
  { name: '0042-selling', class: Selling },
  { name: '0043-offers', class: Offers },
  { name: '0044-stripe', class: Stripe },
  { name: '0045-learning', class: Learning },
  { name: '0046-sales', class: Sales },
  { name: '0047-named-files', class: NamedFiles },
];
