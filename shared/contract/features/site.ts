import { z } from 'zod';
import { documented } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { planNames } from '../plans.ts';
import { RecordId } from '../record-id.ts';
import { isTimeZone } from '../time-zone.ts';
import { NewsletterChanges, NewsletterSettings } from './newsletter-settings.ts';
import { language, Theme, ThemeChanges } from './theme.ts';

const domain = boundedText(253)
  .toLowerCase()
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/, {
    error: 'must be a host name such as ada.example.com',
  });
const label = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, {
    error: 'must have 1 to 63 characters of a-z, 0-9 and inner hyphens',
  });

const name = documented(boundedText(200).min(1), 'Name of the site', 'Ada Marsh');
const subdomain = documented(label.nullable(), "Subdomain of the service's host name; null for none", 'ada');
const customDomain = documented(domain.nullable(), 'Custom domain; null for none', 'ada.example.com');
const mcpEnabled = documented(z.boolean(), 'True if assistants may connect', true);

const plan = documented(z.enum(planNames), 'Plan of the site', 'pro');

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** What prices are in: ISO 4217. */
const currency = documented(
  z
    .string()
    .toUpperCase()
    .refine((code) => currencies.has(code), { error: 'must be a currency code (ISO 4217), such as EUR' })
    .nullable(),
  'Currency of prices (ISO 4217); null to show prices without a currency',
  'EUR',
);

/** Time zone of the dates on the site's pages and in its mail, and of schedules in the studio. */
const timeZone = documented(
  z.string().refine(isTimeZone, { error: 'must be the IANA name of a time zone, such as Europe/Berlin' }),
  'Time zone of the dates on pages and in mail: an IANA name',
  'America/Sao_Paulo',
);

/** What the first site is called until somebody names it. */
export const unnamedSite = 'My site';

/** Settings of a site, as they are kept. */
export const StoredSettings = z.strictObject({
  id: RecordId,
  name,
  plan,
  subdomain: z.string().nullable(),
  custom_domain: z.string().nullable(),
  mcp_enabled: mcpEnabled,
  language,
  currency,
  time_zone: timeZone,
  theme: Theme,
  newsletter: NewsletterSettings,
  created,
  updated,
});

/** Settings of a site, as its owner reads them. */
export const SiteSettings = StoredSettings.extend({
  origin: documented(
    z.string().nullable(),
    'Origin of the public site; null if it has neither a subdomain nor a custom domain',
    'https://ada.example.com',
  ),
});

/** What the studio shows of a site to everybody who works there. */
export const ShownSite = SiteSettings.pick({
  id: true,
  name: true,
  origin: true,
  language: true,
  currency: true,
  time_zone: true,
  theme: true,
}).extend({ newsletter: NewsletterSettings.pick({ from_name: true }) });

export const UpdateSite = z.strictObject({
  name: name.optional(),
  subdomain: subdomain.optional(),
  custom_domain: customDomain.optional(),
  mcp_enabled: mcpEnabled.optional(),
  language: language.optional(),
  currency: currency.optional(),
  time_zone: timeZone.optional(),
  theme: ThemeChanges.optional(),
  newsletter: NewsletterChanges.optional(),
});

/** The home page with a theme that is not saved. */
export const HomePreview = z.strictObject({
  html: z.string().describe('HTML of the page, without its styles'),
  css: z.string().describe('CSS of the theme'),
});

/** A new site, which operators make. */
export const CreateSite = z.strictObject({
  name,
  plan,
  subdomain: subdomain.optional(),
  custom_domain: customDomain.optional(),
});

/** What operators can change: all that the owner can, and the plan. */
export const OperateSite = UpdateSite.extend({ plan: plan.optional() });
