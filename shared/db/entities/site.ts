import { p } from '@mikro-orm/core';
import type { NewsletterSettings } from '../../contract/features/newsletter.ts';
import type { SellingSettings } from '../../contract/features/offers.ts';
import { profileFields } from '../../contract/features/profile.ts';
import type { Theme } from '../../contract/features/theme.ts';
import type { PlanName } from '../../contract/plans.ts';
import { bookkeeping, fieldColumns, isPublic, table, timestampColumn } from '../columns.ts';

/** Creator's site: the tenant that every other row belongs to. */
export const Site = table('sites', {
  id: p.text().primary(),
  name: p.text(),
  plan: p.text().$type<PlanName>(),
  subdomain: p.text().nullable().unique('sites_subdomain_key'),
  custom_domain: p.text().nullable().unique('sites_custom_domain_key'),
  mcp_enabled: p.boolean(),
  language: p.text(),
  currency: p.text().nullable(),
  time_zone: p.text().default('UTC'),
  theme: p.json<Theme>(),
  newsletter: p.json<NewsletterSettings>(),
  selling: p.json<SellingSettings>().default('{"terms_url": "", "note": ""}'),
  ...bookkeeping,
});

/** Profile of the person whom the site is about: one row per site. */
export const ProfileEntity = table('profiles', {
  site_id: p.text().primary(),
  ...fieldColumns(profileFields),
  is_public: isPublic('true'),
  updated: timestampColumn(),
});
