import { z } from 'zod';
import { documented } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { planNames } from '../plans.ts';
import { RecordId } from '../record-id.ts';
import { isTimeZone } from '../time-zone.ts';
import { NewsletterChanges, NewsletterSettings } from './newsletter.ts';
import { SellingChanges, SellingSettings } from './offers.ts';
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

/** Currency of prices (ISO 4217); null for prices without one. */
const currency = documented(
  z
    .string()
    .toUpperCase()
    .refine((code) => currencies.has(code), { error: 'must be a currency code (ISO 4217), such as EUR' })
    .nullable(),
  'Currency of prices (ISO 4217); null to show prices without a currency',
  'EUR',
);

/** Time zone of the dates on the site's pages and in its email, and of schedules in the studio. */
const timeZone = documented(
  z.string().refine(isTimeZone, { error: 'must be the IANA name of a time zone, such as Europe/Berlin' }),
  'Time zone of the dates on pages and in mail: an IANA name',
  'America/Sao_Paulo',
);

/** Name of the first site until it is renamed. */
export const unnamedSite = 'My site';

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
  selling: SellingSettings,
  created,
  updated,
});

export const SiteSettings = StoredSettings.extend({
  origin: documented(
    z.string().nullable(),
    'Origin of the public site; null if it has neither a subdomain nor a custom domain',
    'https://ada.example.com',
  ),
});

/** Settings of a site that the studio shows to everyone who works there. */
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
  selling: SellingChanges.optional(),
});

/** Home page with an unsaved theme. */
export const HomePreview = z.strictObject({
  html: z.string().describe('HTML of the page, without its styles'),
  css: z.string().describe('CSS of the theme'),
});

export const CreateSite = z.strictObject({
  name,
  plan,
  subdomain: subdomain.optional(),
  custom_domain: customDomain.optional(),
});

/** Changes that operators can make: all those of the owner, and the plan. */
export const OperateSite = UpdateSite.extend({ plan: plan.optional() });

/**
 * Subdomains that people or programs would trust as the service's own. Their holder could ask for passwords in its
 * name, or receive its email. A site cannot choose one; a site that already has one keeps it.
 */
const reserved: ReadonlySet<string> = new Set(
  `
  www www1 www2 www3 web main root origin
  api apis app apps rpc trpc rest graphql mcp ws webhook webhooks hooks
  admin administrator administration console control cpanel dashboard manage manager ops operator panel studio
  login logout signin sign-in signup sign-up register auth oauth oauth2 sso saml openid id identity
  account accounts my password reset session sessions user users member members owner owners profile
  mail mail1 mail2 email webmail smtp smtps imap imaps pop pop3 mx mx1 mx2 mta-sts autoconfig autodiscover newsletter
  abuse hostmaster postmaster webmaster noreply no-reply mailer-daemon info contact
  ns ns1 ns2 ns3 ns4 dns dns1 dns2 ftp sftp ssh vpn proxy gateway wpad isatap localhost local internal intranet
  static assets cdn media img images files uploads download downloads
  status health healthz readyz metrics monitor monitoring grafana logs
  docs documentation developer developers dev help support feedback security trust legal privacy terms
  billing pay payment payments checkout invoice invoices shop store secure ssl
  test testing stage staging sandbox preview demo beta git ci
  `
    .trim()
    .split(/\s+/),
);

/** True if a subdomain is reserved for the service. */
export const isReservedSubdomain = (subdomain: unknown) =>
  typeof subdomain === 'string' && reserved.has(subdomain);
