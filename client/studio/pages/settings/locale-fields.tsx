import { Select } from '@mantine/core';
import { currencyChoices } from '../../texts/currencies.ts';
import { languageChoices } from '../../texts/languages.ts';
import { texts } from '../../texts/texts.ts';

type LocaleName = 'language' | 'currency';

interface LocaleFieldsProps {
  values: Record<LocaleName, string>;
  problems: Partial<Record<LocaleName, string>>;
  onChange(name: LocaleName, value: string): void;
}

/** How dates and prices are written on the site. */
export function LocaleFields({ values, problems, onChange }: LocaleFieldsProps) {
  return (
    <>
      <Select
        {...texts.site.language}
        data={languageChoices(values.language)}
        value={values.language}
        error={problems.language}
        searchable
        allowDeselect={false}
        nothingFoundMessage={texts.lists.noMatch}
        onChange={(language) => language && onChange('language', language)}
      />
      <Select
        {...texts.site.currency}
        placeholder={texts.site.noCurrency}
        data={currencyChoices()}
        value={values.currency || null}
        error={problems.currency}
        searchable
        clearable
        nothingFoundMessage={texts.lists.noMatch}
        onChange={(currency) => onChange('currency', currency ?? '')}
      />
    </>
  );
}
