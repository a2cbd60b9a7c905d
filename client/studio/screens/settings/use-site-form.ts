import { useQueryClient } from '@tanstack/react-query';
import { NewsletterSettings } from '../../../../shared/contract/features/newsletter.ts';
import { SellingSettings } from '../../../../shared/contract/features/offers.ts';
import { UpdateSite } from '../../../../shared/contract/features/site.ts';
import { Theme } from '../../../../shared/contract/features/theme.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { settingsQuery } from '../../data/queries.ts';
import { changeOf } from '../../forms/form-values.ts';
import { useForm } from '../../forms/use-form.ts';
import { strings } from '../../strings/ui-strings.ts';
import { toast } from '../../ui/toast.tsx';

export type Site = OutputOf<ApiClient['studio']['site']['get']>;

/** Settings of theme, newsletter and selling are separate fields, so that two users can change different ones. */
interface SiteValues extends Theme, NewsletterSettings, SellingSettings {
  name: string;
  subdomain: string;
  custom_domain: string;
  language: string;
  currency: string;
  time_zone: string;
}

export type SiteForm = ReturnType<typeof useSiteForm>;

export function useSiteForm(site: Site) {
  const api = useApi();
  const queries = useQueryClient();
  return useForm<SiteValues>({
    initial: valuesOf(site),
    contract: UpdateSite,
    toInput,
    way: {
      change: changeOf(site, {
        valuesOf,
        read: () => queries.fetchQuery({ ...settingsQuery(api), staleTime: 0 }),
        update: (input, options) => api.studio.site.update.mutate(UpdateSite.parse(input), options),
      }),
    },
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['site'] });
      toast(strings.common.changesSaved);
    },
  });
}

const valuesOf = ({ theme, newsletter, selling, ...site }: Site): SiteValues => ({
  ...theme,
  ...newsletter,
  ...selling,
  name: site.name,
  subdomain: site.subdomain ?? '',
  custom_domain: site.custom_domain ?? '',
  language: site.language,
  currency: site.currency ?? '',
  time_zone: site.time_zone,
});

const parts = { theme: Theme.shape, newsletter: NewsletterSettings.shape, selling: SellingSettings.shape };

/** Fields where an empty text means null. */
const optional = ['subdomain', 'custom_domain', 'currency'];

function toInput(values: Partial<SiteValues>): object {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const part = keysOf(parts).find((one) => name in parts[one]);
    if (part) input[part] = { ...Object(input[part]), [name]: value };
    else input[name] = optional.includes(name) ? value || null : value;
  }
  return input;
}
