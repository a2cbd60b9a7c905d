import { Anchor, Group, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { NewsletterSettings } from '../../../../shared/contract/features/newsletter-settings.ts';
import { UpdateSite } from '../../../../shared/contract/features/site.ts';
import { Theme } from '../../../../shared/contract/features/theme.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { useApi } from '../../data/api.tsx';
import { settingsQuery } from '../../data/queries.ts';
import { PageForm } from '../../forms/page-form.tsx';
import { textOf } from '../../forms/text-of.ts';
import { useForm } from '../../forms/use-form.ts';
import { tagOf } from '../../forms/write-on-top.ts';
import { capitalised } from '../../texts/names.ts';
import { texts } from '../../texts/texts.ts';
import { Failed } from '../../ui/failed.tsx';
import { ListSkeleton } from '../../ui/list-skeleton.tsx';
import { Screen } from '../../ui/screen.tsx';
import { toast } from '../../ui/toast.tsx';
import { LocaleFields } from './locale-fields.tsx';
import { NewsletterFields } from './newsletter-fields.tsx';
import { ThemeFields } from './theme-fields.tsx';

type Site = OutputOf<ApiClient['studio']['site']['get']>;

export default function SitePage() {
  const site = useQuery(settingsQuery(useApi()));
  if (site.error && !site.data) return <Failed error={site.error} onRetry={site.refetch} />;
  const plan = site.data && texts.site.lead(capitalised(site.data.plan));
  return (
    <Screen narrow title={texts.site.title} lead={plan}>
      <Group component="nav" aria-label={texts.site.parts} gap="lg" fz="sm">
        <Anchor href="#look" inherit>
          {texts.site.theme}
        </Anchor>
        <Anchor href="#newsletter" inherit>
          {texts.site.newsletter.title}
        </Anchor>
      </Group>
      {site.data ? <SiteForm site={site.data} /> : <ListSkeleton />}
    </Screen>
  );
}

function SiteForm({ site }: { site: Site }) {
  const api = useApi();
  const queries = useQueryClient();
  const opened = savedOf(site);
  const form = useForm<SiteValues>({
    initial: opened.values,
    contract: UpdateSite,
    toInput,
    way: {
      change: {
        tag: opened.tag,
        read: async () => savedOf(await queries.fetchQuery({ ...settingsQuery(api), staleTime: 0 })),
        write: (input, options) => api.studio.site.update.mutate(UpdateSite.parse(input), options),
      },
    },
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['site'] });
      toast(texts.common.changesSaved);
    },
  });
  const { values, problems, set } = form;
  const {
    name: _name,
    subdomain: _subdomain,
    custom_domain: _domain,
    language: _language,
    currency: _currency,
    confirm,
    from_name,
    reply_to,
    postal_address,
    ...theme
  } = values;
  return (
    <PageForm form={form}>
      <TextInput {...texts.site.name} {...textOf(form, 'name')} />
      <TextInput {...texts.site.subdomain} placeholder="ada" {...textOf(form, 'subdomain')} />
      <TextInput {...texts.site.domain} placeholder="ada.example.com" {...textOf(form, 'custom_domain')} />
      <LocaleFields values={values} problems={problems} onChange={set} />
      <ThemeFields theme={theme} problem={problems.theme} onChange={set} />
      <NewsletterFields
        newsletter={{ confirm, from_name, reply_to, postal_address }}
        problem={problems.newsletter}
        onChange={set}
      />
    </PageForm>
  );
}

/** The parts of theme and newsletter are fields of their own: two may change different ones. */
interface SiteValues extends Theme, NewsletterSettings {
  name: string;
  subdomain: string;
  custom_domain: string;
  language: string;
  currency: string;
}

const savedOf = ({
  name,
  subdomain,
  custom_domain,
  language,
  currency,
  theme,
  newsletter,
  updated,
}: Site) => ({
  values: {
    ...theme,
    ...newsletter,
    name,
    subdomain: subdomain ?? '',
    custom_domain: custom_domain ?? '',
    language,
    currency: currency ?? '',
  } satisfies SiteValues,
  tag: tagOf(updated),
});

const parts = { theme: Theme.shape, newsletter: NewsletterSettings.shape };

/** An empty name is none, and so is an empty currency. */
function toInput(values: Partial<SiteValues>): object {
  const entries = Object.entries(values);
  const isOf =
    (part: object) =>
    ([name]: [string, unknown]) =>
      name in part;
  const { subdomain, custom_domain, currency, ...others } = Object.fromEntries(
    entries.filter((entry) => !Object.values(parts).some((part) => isOf(part)(entry))),
  );
  const changed = Object.entries(parts).flatMap(([name, part]) => {
    const own = entries.filter(isOf(part));
    return own.length > 0 ? [[name, Object.fromEntries(own)] as const] : [];
  });
  return {
    ...others,
    ...(subdomain !== undefined && { subdomain: subdomain || null }),
    ...(custom_domain !== undefined && { custom_domain: custom_domain || null }),
    ...(currency !== undefined && { currency: currency || null }),
    ...Object.fromEntries(changed),
  };
}
