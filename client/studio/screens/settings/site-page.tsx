import {
  Anchor,
  Fieldset,
  Group,
  type OptionsFilter,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/api.tsx';
import { settingsQuery } from '../../data/queries.ts';
import { PageForm } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { DeliveryGaps } from '../../records/delivery-gaps.tsx';
import { currencyChoices, languageChoices, searchedZone, timeZoneChoices } from '../../strings/locales.ts';
import { capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Pending } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { ThemeFields } from './theme-fields.tsx';
import { type Site, type SiteForm, useSiteForm } from './use-site-form.ts';

export default function SitePage() {
  const site = useQuery(settingsQuery(useApi()));
  const plan = site.data && strings.site.lead(capitalised(site.data.plan));
  return (
    <Screen narrow title={strings.site.title} lead={plan}>
      <Group
        component="nav"
        aria-label={strings.site.parts}
        gap="lg"
        fz="sm"
        py="sm"
        pos={{ sm: 'sticky' }}
        top={0}
        bg="var(--mantine-color-body)"
        style={{ zIndex: 3, borderBlockEnd: '1px solid var(--studio-line)' }}
      >
        <Anchor href="#basics" inherit>
          {strings.site.basics}
        </Anchor>
        <Anchor href="#look" inherit>
          {strings.site.theme}
        </Anchor>
        <Anchor href="#newsletter" inherit>
          {strings.site.newsletter.title}
        </Anchor>
        <Anchor href="#selling" inherit>
          {strings.sellingSettings.title}
        </Anchor>
      </Group>
      {site.data ? <Settings site={site.data} /> : <Pending query={site} />}
    </Screen>
  );
}

function Settings({ site }: { site: Site }) {
  const form = useSiteForm(site);
  return (
    <PageForm form={form}>
      <TextInput id="basics" {...strings.site.name} {...textOf(form, 'name')} />
      <TextInput {...strings.site.subdomain} placeholder="ada" {...textOf(form, 'subdomain')} />
      <TextInput {...strings.site.domain} placeholder="ada.example.com" {...textOf(form, 'custom_domain')} />
      <LocaleFields form={form} />
      <ThemeFields form={form} />
      <NewsletterFields form={form} />
      <SellingFields form={form} />
    </PageForm>
  );
}

/** Inputs for language, currency and time zone of the site. */
const LocaleFields = ({ form: { values, problems, set } }: { form: SiteForm }) => (
  <>
    <Select
      {...strings.site.language}
      data={languageChoices(values.language)}
      value={values.language}
      error={problems.language}
      searchable
      nothingFoundMessage={strings.lists.noMatch}
      onChange={(language) => language && set('language', language)}
    />
    <Select
      {...strings.site.currency}
      placeholder={strings.site.noCurrency}
      data={currencyChoices()}
      value={values.currency || null}
      error={problems.currency}
      searchable
      allowDeselect
      clearable
      nothingFoundMessage={strings.lists.noMatch}
      onChange={(currency) => set('currency', currency ?? '')}
    />
    <Select
      {...strings.site.timeZone}
      data={timeZoneChoices(values.time_zone)}
      value={values.time_zone}
      error={problems.time_zone}
      searchable
      nothingFoundMessage={strings.lists.noMatch}
      filter={filterZones}
      onChange={(zone) => zone && set('time_zone', zone)}
    />
  </>
);

/** The default filter finds neither IANA names, which contain underscores, nor cities typed with accents. */
const filterZones: OptionsFilter = ({ options, search }) => {
  const searched = searchedZone(search);
  const find = <Item extends { label: string }>(items: Item[]) =>
    items.filter(({ label }) => label.toLowerCase().includes(searched));
  return options.flatMap<(typeof options)[number]>((option) =>
    'group' in option ? [{ ...option, items: find(option.items) }] : find([option]),
  );
};

const newsletterWords = strings.site.newsletter;

const choices = [
  { value: 'usual', label: newsletterWords.confirms.usual, confirm: null },
  { value: 'yes', label: newsletterWords.confirms.yes, confirm: true },
  { value: 'no', label: newsletterWords.confirms.no, confirm: false },
] as const;

/** Inputs for newsletters: sender, postal address and confirmation of subscriptions. */
function NewsletterFields({ form }: { form: SiteForm }) {
  const { values, problems, set } = form;
  return (
    <Fieldset id="newsletter" legend={newsletterWords.title} radius="lg">
      <Stack gap="md">
        <DeliveryGaps />
        <TextInput {...newsletterWords.fromName} maxLength={100} {...textOf(form, 'from_name')} />
        <TextInput
          type="email"
          {...newsletterWords.replyTo}
          {...textOf(form, 'reply_to')}
          error={problems.newsletter}
        />
        <Textarea
          {...newsletterWords.postalAddress}
          autosize
          minRows={2}
          maxLength={500}
          {...textOf(form, 'postal_address')}
        />
        <Select
          {...newsletterWords.confirm}
          data={choices.map(({ value, label }) => ({ value, label }))}
          value={choices.find(({ confirm }) => confirm === values.confirm)?.value ?? 'usual'}
          onChange={(chosen) =>
            set('confirm', choices.find(({ value }) => value === chosen)?.confirm ?? null)
          }
        />
      </Stack>
    </Fieldset>
  );
}

/** Inputs for the note and the terms that the site shows beside each buy button. */
const SellingFields = ({ form }: { form: SiteForm }) => (
  <Fieldset id="selling" legend={strings.sellingSettings.title} radius="lg">
    <Stack gap="md">
      <Textarea
        {...strings.sellingSettings.note}
        autosize
        maxLength={500}
        {...textOf(form, 'note')}
        error={form.problems.selling}
      />
      <TextInput
        {...strings.sellingSettings.terms}
        placeholder="https://example.com/terms"
        {...textOf(form, 'terms_url')}
      />
    </Stack>
  </Fieldset>
);
