import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { UpdateSite } from '../../../shared/contract/site.ts';
import type { ApiClient, OutputOf } from '../../sdk/index.ts';
import { useApi } from '../data/api.tsx';
import { siteQuery } from '../data/queries.ts';
import { useForm } from '../fields/use-form.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { Failed } from '../ui/failed.tsx';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { PageForm } from '../ui/page-form.tsx';
import { Screen } from '../ui/screen.tsx';
import { say } from '../ui/toast.tsx';
import { ThemeFields } from './theme-fields.tsx';

type Site = OutputOf<ApiClient['studio']['site']['get']>;

/** The settings of the site. */
export function SitePage() {
  const site = useQuery(siteQuery(useApi()));
  if (site.error && !site.data) return <Failed error={site.error} onRetry={site.refetch} />;
  const plan = site.data && texts.site.plan(capitalised(site.data.plan));
  return (
    <Screen narrow title={texts.site.title} lead={plan}>
      {site.data ? <SiteForm site={site.data} /> : <ListSkeleton />}
    </Screen>
  );
}

function SiteForm({ site }: { site: Site }) {
  const api = useApi();
  const queries = useQueryClient();
  const form = useForm({
    initial: {
      name: site.name,
      subdomain: site.subdomain ?? '',
      custom_domain: site.custom_domain ?? '',
      language: site.language,
      theme: site.theme,
    },
    contract: UpdateSite,
    toInput,
    send: (values) => api.studio.site.update.mutate(toInput(values)),
    onSent: () => {
      void queries.invalidateQueries({ queryKey: ['site'] });
      say(texts.common.changesSaved);
    },
  });
  const { values, problems, set } = form;
  return (
    <PageForm form={form}>
      <TextInput
        label={texts.site.name}
        description={texts.site.nameHelp}
        value={values.name}
        error={problems.name}
        onChange={({ currentTarget }) => set('name', currentTarget.value)}
      />
      <TextInput
        label={texts.site.subdomain}
        description={texts.site.subdomainHelp}
        placeholder="ada"
        value={values.subdomain}
        error={problems.subdomain}
        onChange={({ currentTarget }) => set('subdomain', currentTarget.value)}
      />
      <TextInput
        label={texts.site.domain}
        description={texts.site.domainHelp}
        placeholder="ada.example.com"
        value={values.custom_domain}
        error={problems.custom_domain}
        onChange={({ currentTarget }) => set('custom_domain', currentTarget.value)}
      />
      <TextInput
        label={texts.site.language}
        description={texts.site.languageHelp}
        value={values.language}
        error={problems.language}
        onChange={({ currentTarget }) => set('language', currentTarget.value)}
      />
      <ThemeFields theme={values.theme} problem={problems.theme} onChange={(theme) => set('theme', theme)} />
    </PageForm>
  );
}

interface SiteValues {
  name: string;
  subdomain: string;
  custom_domain: string;
  language: string;
  theme: Site['theme'];
}

/** An empty name is none. */
const toInput = ({ subdomain, custom_domain, ...others }: SiteValues) => ({
  ...others,
  subdomain: subdomain || null,
  custom_domain: custom_domain || null,
});
