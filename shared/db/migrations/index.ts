import { Content0001 } from './0001-content.ts';
import { Events0002 } from './0002-events.ts';
import { Audience0003 } from './0003-audience.ts';
import { CollectionState0004 } from './0004-collection-state.ts';
import { ViewCounts0005 } from './0005-view-counts.ts';
import { MemberCount0006 } from './0006-member-count.ts';
import { PublicRecords0007 } from './0007-public-records.ts';
import { Search0008 } from './0008-search.ts';
import { FreeSlug0009 } from './0009-free-slug.ts';
import { FailureOrder0010 } from './0010-failure-order.ts';
import { SitePages0020 } from './0020-site-pages.ts';
import { AudienceLists0030 } from './0030-audience-lists.ts';
import { Idempotency0040 } from './0040-idempotency.ts';
import { Schedule0045 } from './0045-schedule.ts';
import { History0050 } from './0050-history.ts';
import { ListFilters0060 } from './0060-list-filters.ts';
import { WebhookRepair0070 } from './0070-webhook-repair.ts';
import { EventFollowers0080 } from './0080-event-followers.ts';
import { RateLimits0090 } from './0090-rate-limits.ts';
import { NarrowedPublic0095 } from './0095-narrowed-public.ts';
import { Media0100 } from './0100-media.ts';
import { MediaSizes0101 } from './0101-media-sizes.ts';
import { ImportedRecords0110 } from './0110-imported-records.ts';
import { AuditLog0120 } from './0120-audit-log.ts';
import { MoveTickets0140 } from './0140-move-tickets.ts';
import { CounterSlots0150 } from './0150-counter-slots.ts';
import { TrashParts0160 } from './0160-trash-parts.ts';
import { TrashWithoutParts0180 } from './0180-trash-without-parts.ts';
import { AwaitedEvents0190 } from './0190-awaited-events.ts';
import { PublicationOrder0200 } from './0200-publication-order.ts';
import { ViewLabels0210 } from './0210-view-labels.ts';
import { MediaRemovals0220 } from './0220-media-removals.ts';
import { MediaStore0221 } from './0221-media-store.ts';
import { GivenUpSizes0222 } from './0222-given-up-sizes.ts';
import { AskersOfCodes0230 } from './0230-askers-of-codes.ts';
import { CountedByIndex0240 } from './0240-counted-by-index.ts';
import { Covers0260 } from './0260-covers.ts';
import { Redirects0261 } from './0261-redirects.ts';
import { SharedWidth0262 } from './0262-shared-width.ts';

/** In the order they run. Forward only: a landed one is never changed. */
export const migrations = [
  Content0001,
  Events0002,
  Audience0003,
  CollectionState0004,
  ViewCounts0005,
  MemberCount0006,
  PublicRecords0007,
  Search0008,
  FreeSlug0009,
  FailureOrder0010,
  SitePages0020,
  AudienceLists0030,
  Idempotency0040,
  Schedule0045,
  History0050,
  ListFilters0060,
  WebhookRepair0070,
  EventFollowers0080,
  RateLimits0090,
  NarrowedPublic0095,
  Media0100,
  MediaSizes0101,
  ImportedRecords0110,
  AuditLog0120,
  MoveTickets0140,
  CounterSlots0150,
  TrashParts0160,
  TrashWithoutParts0180,
  AwaitedEvents0190,
  PublicationOrder0200,
  ViewLabels0210,
  MediaRemovals0220,
  AskersOfCodes0230,
  MediaStore0221,
  GivenUpSizes0222,
  CountedByIndex0240,
  Covers0260,
  Redirects0261,
  SharedWidth0262,
];
